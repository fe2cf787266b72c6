/** Where Python's trees have what is given and what is wanted for it. */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';
import { type AnswerTrees, columnsOf, type Pair, pair, pairsInRow, saidBy } from './answers.ts';
import { foldedText } from './folded.ts';
import type { InputTrees } from './inputs.ts';
import { argumentsOf } from './names.ts';
import { nodesOf, partText, stringValue } from './python-tree.ts';

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'float']);
const ROWS: ReadonlySet<string> = new Set(['list', 'tuple']);
const COMPUTED = /^(?:lambda|list_comprehension|dictionary_comprehension|generator_expression)$/;

export const pythonAnswers: AnswerTrees = {
  around: new Set(['parenthesized_expression']),
  textOf: stringValue,
  numberOf: ({ type, text }) => (NUMBERS.has(type) ? text : null),
  signed: new Set(['unary_operator']),
  isComputed: (node) => (node.type === 'identifier' && !isCalled(node)) || COMPUTED.test(node.type),
  pairsAt,
  rowsAt(node) {
    if (ROWS.has(node.type) || node.type === 'set') {
      const members = childrenOf(node);
      return [members, ...columnsOf(members.map((one) => (ROWS.has(one.type) ? childrenOf(one) : [])))];
    }
    if (node.type !== 'dictionary') return [];
    const sides = (name: string) => childrenOf(node).flatMap((one) => one.childForFieldName(name) ?? []);
    const keys = sides('key');
    return [
      sides('value'),
      keys,
      ...columnsOf(keys.map((one) => (ROWS.has(one.type) ? childrenOf(one) : []))),
    ];
  },
  fixedAt,
  testStart: '\\bdef ',
};

/** Methods that look for a text in another one, or in a table. */
const LOOKS =
  /^(?:startswith|endswith|r?find|r?index|count|replace|r?partition|r?split|removeprefix|removesuffix|get|__eq__|__contains__|match|fullmatch|search|findall|finditer|compile|subn?|fnmatch\w*|eq|ne|compare_digest)$/;

export const pythonInputs: InputTrees = {
  textOf: (node) => foldedText(node, stringValue),
  membersOf(node) {
    if (ROWS.has(node.type) || node.type === 'set') return childrenOf(node);
    if (node.type !== 'dictionary') return [];
    return childrenOf(node).flatMap((one) => one.childForFieldName('key') ?? []);
  },
  looksAt(node) {
    if (node.type === 'subscript') return [node.childForFieldName('subscript')].filter((one) => one !== null);
    const called = node.type === 'call' ? node.childForFieldName('function') : null;
    if (called?.type !== 'attribute' || !LOOKS.test(partText(called, 'attribute'))) return [];
    return [...argumentsOf(node), ...childrenOf(called).slice(0, 1)];
  },
  isPattern: ({ parent }) =>
    /\b(?:match|fullmatch|search|findall|finditer|compile|subn?)$/.test(partText(parent?.parent, 'function')),
  isComment: ({ parent }) => parent?.type === 'expression_statement',
};

/** Of a function that is called, of an argument or of a class: what it is called with is written down all the same. */
function isCalled(node: SyntaxNode): boolean {
  const { parent } = node;
  if (parent?.type === 'call') return parent.childForFieldName('function')?.id === node.id;
  if (parent?.type === 'keyword_argument') return parent.childForFieldName('name')?.id === node.id;
  return parent?.type === 'attribute';
}

/** The pairs that a node of the tree has. */
function pairsAt(node: SyntaxNode): Pair[] {
  const field = (name: string) => node.childForFieldName(name);
  if (node.type === 'pair') return partsOf(field('key')).flatMap((given) => pair(given, field('value')));
  if (node.type === 'assignment') {
    const left = field('left');
    if (left?.type === 'subscript') return pair(left.childForFieldName('subscript'), field('right'));
    const both = [left, field('right')].map((side) => (side === null ? [] : rowsIn(side)));
    return both[1]!.length === 2 ? besides(both[1]![0]!, both[1]![1]!) : [];
  }
  if (node.type === 'if_statement' || node.type === 'elif_clause')
    return comparedIn(field('condition')).flatMap((one) =>
      answersIn(field('consequence')).flatMap((wanted) => pair(one.given, wanted, one.isStart)),
    );
  if (node.type === 'conditional_expression') {
    const [wanted = null, condition = null] = childrenOf(node);
    return comparedIn(condition).flatMap((one) => pair(one.given, wanted, one.isStart));
  }
  if (node.type === 'case_clause')
    return childrenOf(node)
      .filter(({ type }) => type === 'case_pattern')
      .flatMap((pattern) => [...nodesOf(pattern)].filter((one) => saidBy(one, pythonAnswers) !== null))
      .flatMap((given) => answersIn(field('consequence')).flatMap((wanted) => pair(given, wanted)));
  if (
    ROWS.has(node.type) &&
    node.parent !== null &&
    /^(?:list|tuple|set|argument_list)$/.test(node.parent.type)
  ) {
    const members = childrenOf(node);
    return node.parent.type === 'argument_list' && members.length > 2 ? [] : pairsInRow(members);
  }
  if (node.type === 'call' && partText(node, 'function') === 'zip') {
    const [given, wanted] = argumentsOf(node);
    return given !== undefined && wanted !== undefined ? besides(given, wanted) : [];
  }
  return [];
}

/** What a key is put together of. */
function partsOf(key: SyntaxNode | null): SyntaxNode[] {
  if (key === null) return [];
  return key.type === 'tuple' ? [key, ...childrenOf(key)] : [key];
}

/** Two rows of which one has the answers to the other. */
function besides(given: SyntaxNode, wanted: SyntaxNode): Pair[] {
  if (!ROWS.has(given.type) || !ROWS.has(wanted.type)) return [];
  const answers = childrenOf(wanted);
  const inputs = childrenOf(given);
  return inputs.length === answers.length ? inputs.flatMap((one, at) => pair(one, answers[at]!)) : [];
}

function rowsIn(node: SyntaxNode): SyntaxNode[] {
  return childrenOf(node).filter(({ type }) => ROWS.has(type));
}

/** The literals that a condition asks for. */
function comparedIn(condition: SyntaxNode | null): { given: SyntaxNode; isStart: boolean }[] {
  if (condition === null) return [];
  return [...nodesOf(condition)].flatMap((node): { given: SyntaxNode; isStart: boolean }[] => {
    if (node.type === 'call' && /\.(?:startswith|endswith)$/.test(partText(node, 'function')))
      return argumentsOf(node).map((given) => ({ given, isStart: true }));
    if (node.type !== 'comparison_operator') return [];
    return [...nodesOf(node, ({ type }) => /^(?:comparison_operator|tuple|list|set)$/.test(type))]
      .filter((one) => saidBy(one, pythonAnswers) !== null)
      .map((given) => ({ given, isStart: false }));
  });
}

/** What a block gives back, or keeps, at once. */
function answersIn(block: SyntaxNode | null): SyntaxNode[] {
  if (block === null) return [];
  return childrenOf(block).flatMap((line) => {
    if (line.type === 'return_statement') return childrenOf(line).slice(0, 1);
    const [inner = null] = line.type === 'expression_statement' ? childrenOf(line) : [];
    if (inner?.type === 'yield') return childrenOf(inner).slice(0, 1);
    const value = inner?.type === 'assignment' ? inner.childForFieldName('right') : null;
    return value === null ? [] : [value];
  });
}

function fixedAt(node: SyntaxNode): { name: string; answer: SyntaxNode } | null {
  const value = node.type === 'assignment' ? node.childForFieldName('right') : null;
  const answer = value?.type === 'lambda' ? value.childForFieldName('body') : null;
  if (answer !== null && value?.childForFieldName('parameters') != null && !hasCall(answer))
    return { name: partText(node, 'left').split('.').at(-1)!, answer };
  if (node.type !== 'function_definition') return null;
  const given = node.childForFieldName('parameters')?.namedChildren ?? [];
  if (given.filter((one) => one != null && !/^(?:self|cls)\b/.test(one.text)).length === 0) return null;
  const isText = (line: SyntaxNode) =>
    line.type === 'expression_statement' && stringValue(childrenOf(line)[0] ?? null) !== null;
  const lines = childrenOf(node.childForFieldName('body') ?? node).filter(
    (line) => line.type !== 'comment' && !isText(line),
  );
  const [only = null] =
    lines.length === 1 && lines[0]!.type === 'return_statement' ? childrenOf(lines[0]!) : [];
  return only === null || hasCall(only) ? null : { name: partText(node, 'name'), answer: only };
}

function hasCall(node: SyntaxNode): boolean {
  return [...nodesOf(node)].some(({ type }) => type === 'call' || type === 'attribute');
}
