/**
 * Changes that the same function takes back before it ends: another `open` or a trace for the time of one call. Tests
 * do not run in between, so they are no doubt.
 */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { argumentsOf, type Imports } from './names.ts';
import { nodesOf, partText } from './python-tree.ts';

/** Targets of assignments, of `del` and of `with … as` and `for … in`. */
export function targetsOf(node: SyntaxNode): SyntaxNode[] {
  const left =
    node.type === 'assignment' || node.type === 'augmented_assignment' || node.type === 'for_statement'
      ? [node.childForFieldName('left')]
      : node.type === 'delete_statement' || node.type === 'as_pattern_target'
        ? node.namedChildren
        : [];
  return left.flatMap((one) =>
    one == null ? [] : [...nodesOf(one, isPattern)].filter((target) => !isPattern(target)),
  );
}

function isPattern({ type }: SyntaxNode): boolean {
  return /^(?:pattern_list|tuple_pattern|list_pattern|expression_list|list_splat_pattern|tuple|list)$/.test(
    type,
  );
}

/**
 * An assignment to an attribute such as `builtins.open`: `own = builtins.open`, then in or directly before a `try` the
 * change, and first in its `finally` the assignment of `own`. `mayLook`: whether the function around it may be read for that.
 */
export function isAssignedBack(target: SyntaxNode, mayLook: () => boolean): boolean {
  const statement = target.parent?.parent ?? null;
  if (target.parent?.type !== 'assignment' || statement?.type !== 'expression_statement') return false;
  const around = isFinal(statement) ? (statement.parent?.parent?.parent ?? null) : tryAround(statement);
  if (around === null || !mayLook()) return false;
  const whole = wholeFunction(target);
  if (whole === null) return false;
  const [back] = finallyBlock(around)?.namedChildren.filter(isCode) ?? [];
  const assigned = back?.type === 'expression_statement' ? back.namedChildren[0] : null;
  const value = assigned?.type === 'assignment' ? assigned.childForFieldName('right') : null;
  if (partText(assigned, 'left') !== target.text || value?.type !== 'identifier') return false;
  const saved = onlyBinding(whole, value.text);
  const source = partText(saved, 'right');
  const isSource = source === target.text || `builtins.${source}` === target.text;
  return isSource && isBefore(saved!, around) && (isFinal(statement) || isBefore(saved!, statement));
}

/** `sys.settrace` or `sys.setprofile`, called to set one and last to give it back; the record of the run tells whether it was. */
export function isTraceBack(node: SyntaxNode, name: string, imports: Imports): boolean {
  const whole = wholeFunction(node);
  if (whole === null) return false;
  const isHalf = /^__(?:enter|exit)__$/.test(partText(whole, 'name'));
  const scope = isHalf ? (whole.parent?.parent ?? null) : whole;
  if (scope === null || (isHalf && scope.type !== 'class_definition')) return false;
  const uses = [...nodesOf(scope)].filter((one) => one.type === 'attribute' && imports.resolve(one) === name);
  const statements = uses.map(callStatement);
  const [first, last] = [statements[0], statements.at(-1)];
  if (first == null || last == null || statements.includes(null) || uses.length < 2) return false;
  const [given] = argumentsOf(last.namedChildren[0]!);
  if (given === undefined || !/^(?:none|identifier|attribute)$/.test(given.type)) return false;
  const isExit = isHalf && partText(wholeFunction(last), 'name') === '__exit__';
  return isExit || isFinal(last) || (!isHalf && last.parent?.id === first.parent?.id);
}

function callStatement(use: SyntaxNode): SyntaxNode | null {
  const call = use.parent?.type === 'call' ? use.parent : null;
  return call?.parent?.type === 'expression_statement' ? call.parent : null;
}

/** The function around a node, if it runs without a break: no generator and no coroutine. */
function wholeFunction(node: SyntaxNode): SyntaxNode | null {
  let around = node.parent;
  while (around !== null && around.type !== 'function_definition') {
    if (around.type === 'lambda' || around.type === 'class_definition') return null;
    around = around.parent;
  }
  const isWhole = around !== null && !/^async\b|\b(?:yield|await)\b/.test(around.text);
  return isWhole ? around : null;
}

function isCode(node: SyntaxNode | null): node is SyntaxNode {
  return node != null && node.type !== 'comment';
}

function isFinal(statement: SyntaxNode): boolean {
  return statement.parent?.parent?.type === 'finally_clause';
}

function finallyBlock(attempt: SyntaxNode): SyntaxNode | null {
  const last = attempt.namedChildren.findLast(isCode);
  return last?.type === 'finally_clause' ? (last.namedChildren.findLast(isCode) ?? null) : null;
}

/** The `try` with a `finally` in whose body a statement is, or that directly follows it. */
function tryAround(statement: SyntaxNode): SyntaxNode | null {
  let next: SyntaxNode | null = statement.nextNamedSibling;
  while (next?.type === 'comment') next = next.nextNamedSibling;
  if (next?.type === 'try_statement' && finallyBlock(next) !== null) return next;
  for (let one = statement; one.parent !== null && one.type !== 'function_definition'; one = one.parent) {
    const { parent } = one;
    if (parent.type !== 'try_statement' || finallyBlock(parent) === null) continue;
    return parent.childForFieldName('body')?.id === one.id ? parent : null;
  }
  return null;
}

/** The assignment of a variable of a function, if nothing else assigns it there. */
function onlyBinding(whole: SyntaxNode, name: string): SyntaxNode | null {
  let found: SyntaxNode | null = null;
  const parameters = partText(whole, 'parameters');
  if (new RegExp(`\\b${name}\\b`).test(parameters)) return null;
  for (const node of nodesOf(whole)) {
    const isOther = /^(?:global|nonlocal|import|import_from)_statement$|^named_expression$/.test(node.type);
    if (isOther && new RegExp(`\\b${name}\\b`).test(node.text)) return null;
    for (const target of targetsOf(node)) {
      if (target.text !== name) continue;
      if (found !== null || node.type !== 'assignment') return null;
      found = node;
    }
  }
  return found;
}

/** Whether a statement always runs before another one that is in its block or deeper. */
function isBefore(assignment: SyntaxNode, later: SyntaxNode): boolean {
  const block = assignment.parent?.parent;
  if (block == null || assignment.endIndex > later.startIndex) return false;
  return block.startIndex <= later.startIndex && later.endIndex <= block.endIndex;
}
