/** What each kind of mutation changes in a syntax tree, as edits of the text. */
import type { SyntaxNode } from '../../../basics/syntax-tree.ts';
import type { Language } from './languages.ts';

/** Offsets in the text, and what stands there instead. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

type Kind = (node: SyntaxNode, language: Language) => Edit[];

const NEGATED: Readonly<Record<string, string>> = {
  ...{ '==': '!=', '!=': '==', '===': '!==', '!==': '===' },
  ...{ '<': '>=', '>=': '<', '>': '<=', '<=': '>' },
};
const SHIFTED: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' };
const CHANGED: Readonly<Record<string, string>> = {
  ...{
    '+': '-',
    '-': '+',
    '*': '/',
    '/': '*',
    '%': '*',
    '<<': '>>',
    '>>': '<<',
    '&': '|',
    '|': '&',
    '^': '|',
  },
  ...{ '&&': '||', '||': '&&' },
};
const CHANGED_ASSIGNMENT: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
};
const LOOPS = new Set([
  ...['for_statement', 'for_in_statement', 'while_statement', 'do_statement', 'for_expression'],
  ...['while_expression', 'loop_expression', 'enhanced_for_statement', 'for_range_loop'],
]);
const IFS = new Set(['if_statement', 'if_expression']);
const MAX_LINES = 10;

/** The kinds by name. Those that Python's mutations have too are called as there, see mutation_kinds.py. */
export const KINDS: Readonly<Record<string, Kind>> = {
  flip_comparison: (node) => operator(node, 'binary_expression', NEGATED),
  shift_boundary: (node) => operator(node, 'binary_expression', SHIFTED),
  change_operator: (node) => [
    ...operator(node, 'binary_expression', CHANGED),
    ...operator(node, 'augmented_assignment_expression', CHANGED_ASSIGNMENT),
    ...operator(node, 'compound_assignment_expr', CHANGED_ASSIGNMENT),
  ],
  increase_constant: (node, language) => integer(node, language, 1),
  decrease_constant: (node, language) => integer(node, language, -1),
  flip_boolean: (node) => {
    const other = { true: 'false', false: 'true' }[node.text];
    const isLiteral = /^(?:true|false|boolean_literal)$/.test(node.type);
    return other === undefined || !isLiteral ? [] : [replaced(node, other)];
  },
  invert_if: (node, language) => {
    const condition = conditionOf(node);
    if (condition === null) return [];
    return [replaced(condition, language.parentheses ? `(!${condition.text})` : `!(${condition.text})`)];
  },
  constant_condition: (node, language) => {
    const condition = conditionOf(node);
    if (condition === null) return [];
    return ['true', 'false'].map((text) => replaced(condition, language.parentheses ? `(${text})` : text));
  },
  remove_branch: (node) => {
    const other = node.childForFieldName('alternative');
    const branch = node.childForFieldName('consequence');
    if (!IFS.has(node.type) || other === null || branch === null) return [];
    return [{ start: branch.endIndex, end: other.endIndex, text: '' }];
  },
  remove_if: (node) =>
    IFS.has(node.type) && isStatement(node) && node.childForFieldName('alternative') === null
      ? removed(node)
      : [],
  remove_loop: (node) => (LOOPS.has(node.type) && isStatement(node) ? removed(node) : []),
  remove_break: (node) =>
    /^(?:break|continue)_(?:statement|expression)$/.test(node.type) ? [emptied(node)] : [],
  remove_assignment: (node, { statements }) =>
    statements.has(node.type) && isStatement(node) ? removed(node) : [],
  remove_throw: (node, { throws }) => (throws.has(node.type) ? [emptied(node)] : []),
  remove_return_value: (node, { bareReturn }) =>
    bareReturn !== null && node.type === 'return_statement' && node.namedChildCount > 0
      ? [replaced(node, node.text.endsWith(';') ? `${bareReturn};` : bareReturn)]
      : [],
  remove_body: (node, { functions, emptied: body }) => {
    const block = functions.has(node.type) ? node.childForFieldName('body') : null;
    if (block === null || !block.text.startsWith('{') || block.namedChildCount === 0) return [];
    return [replaced(block, `{${body}}`)];
  },
};

function operator(node: SyntaxNode, type: string, table: Readonly<Record<string, string>>): Edit[] {
  const found = node.type === type ? node.childForFieldName('operator') : null;
  const other = found === null ? undefined : table[found.text];
  return found === null || other === undefined ? [] : [replaced(found, other)];
}

function integer(node: SyntaxNode, { integers }: Language, by: number): Edit[] {
  if (!integers.has(node.type) || !/^(?:0|[1-9]\d{0,8})$/.test(node.text)) return [];
  const value = Number(node.text) + by;
  return value < 0 ? [] : [replaced(node, String(value))];
}

/** The condition of an `if`; null: there is none, or it declares a variable. */
function conditionOf(node: SyntaxNode): SyntaxNode | null {
  const condition = IFS.has(node.type) ? node.childForFieldName('condition') : null;
  return condition === null || /\blet\b|;/.test(condition.text) ? null : condition;
}

/** False for an `if` that is a value or the `else if` of another one. */
function isStatement(node: SyntaxNode): boolean {
  const parent = node.parent?.type ?? '';
  return /^(?:block|statement_list|statement_block|compound_statement|expression_statement|program|source_file)$/.test(
    parent,
  );
}

const replaced = ({ startIndex, endIndex }: SyntaxNode, text: string): Edit => ({
  start: startIndex,
  end: endIndex,
  text,
});

/** The place of a statement that something must stay at, such as the only one after a `case`. */
const emptied = (node: SyntaxNode): Edit => replaced(node, node.text.endsWith(';') ? ';' : '{}');

/** Whole lines, where nothing else is on them. */
function removed(node: SyntaxNode): Edit[] {
  const statement = node.parent?.type === 'expression_statement' ? node.parent : node;
  if (statement.endPosition.row - statement.startPosition.row >= MAX_LINES) return [];
  return [replaced(statement, '')];
}
