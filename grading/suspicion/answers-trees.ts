/**
 * Where trees of Go, JavaScript, TypeScript, Rust, Java and C++ have what is given and what is wanted for it. The types of nodes are those
 * of the grammars' own `node-types.json`.
 */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';
import {
  type AnswerTrees,
  columnsOf,
  MOST_LITERALS,
  type Pair,
  pair,
  pairsInRow,
  saidBy,
} from './answers.ts';
import { constantsOf } from './constants.ts';
import { foldedText, respelledNumber } from './folded.ts';
import type { InputTrees } from './inputs.ts';
import { isName } from './pattern.ts';
import { nodesOf, withoutIdleEscapes } from './python-tree.ts';
import type { Site, TaskFacts } from './site.ts';
import { isPlaceholder, isSpecialCase, specialCase } from './special-case.ts';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const TEXTS = words(
  'interpreted_string_literal raw_string_literal rune_literal string template_string string_literal char_literal character_literal',
);
const NUMBERS = words(
  'int_literal float_literal number integer_literal decimal_integer_literal decimal_floating_point_literal hex_integer_literal number_literal',
);
const SIGNED = words('unary_expression');
const AROUND = words('parenthesized_expression literal_element');
const LISTS = words(
  'array array_expression tuple_expression literal_value array_initializer initializer_list token_tree',
);
const ARGUMENTS = words('arguments argument_list');
const CALLS = words('call_expression method_invocation');
const COMPUTED = words(
  'arrow_function function_expression closure_expression func_literal lambda_expression template_substitution this self',
);
/** An identifier in one of these is the name of a member, a function, a class or a field. */
const NAMED = words(
  'selector_expression member_expression field_expression scoped_identifier qualified_identifier field_access method_invocation macro_invocation',
);
const CONSTANT = /^(?:None|undefined|NULL|nullptr)$/;
const EQUAL =
  /\b(?:equals|equalsIgnoreCase|contentEquals|str(?:case)?cmp|compareTo|Equal|EqualFold|localeCompare|eq|is)$/;
const PARTLY =
  /(?:starts_?with|ends_?with|contains|includes|HasPrefix|HasSuffix|Contains|strncmp|indexOf|regionMatches)$/i;
/** Calls that put a value under a key. */
const PUTS = /\b(?:insert|set|put|emplace|try_emplace|Set|Put|Store|entry|make_pair)$/;
/** Calls whose arguments are keys and values in turn. */
const TABLES = /\b(?:Map\.of|ImmutableMap\.of)$/;
/** Calls that keep what they are given as it is. */
const KEEPS =
  /^(?:Some|Ok|Err|Box::new|Rc::new|String::from|errors\.New|std::string)$|\.(?:to_string|to_owned|into)$/;
const FUNCTIONS = words(
  'function_declaration method_declaration function_expression method_definition arrow_function function_item function_definition',
);
const BLOCKS = words('block statement_block compound_statement statement_list else_clause');

export const cLikeAnswers: AnswerTrees = {
  around: AROUND,
  textOf,
  numberOf: ({ type, text }) =>
    NUMBERS.has(type)
      ? text.replace(/(?<=^[\d._]+)(?:_?[iuf](?:8|16|32|64|128|size)|[uUlLfFdDn]+)$/, '')
      : null,
  signed: SIGNED,
  isComputed: (node) => COMPUTED.has(node.type) || (node.type === 'identifier' && !isNamed(node)),
  pairsAt,
  rowsAt(node) {
    if (
      /^(?:switch_body|switch_block|match_block|compound_statement|expression_switch_statement)$/.test(
        node.type,
      )
    )
      return [childrenOf(node).flatMap((one) => caseAt(one)?.given ?? [])];
    if (node.type !== 'object' && !LISTS.has(node.type)) return [];
    const members = childrenOf(node);
    const sides = (name: string) => members.map((one) => one.childForFieldName(name) ?? one);
    return [sides('value'), sides('key'), ...columnsOf(members.map(membersOf))];
  },
  fixedAt,
  testStart: String.raw`\b(?:func|fn) \w|\b(?:it|test|describe|TEST\w*)\(|@Test\b`,
  isTest: (node) =>
    node.type === 'mod_item' && /^#\[cfg\s*\(.*\btest\b/.test(node.previousNamedSibling?.text ?? ''),
};

/** Calls that look for a text in another one, or in a table. */
const LOOKS =
  /(?:starts_?with|ends_?with|contains\w*|includes|HasPrefix|HasSuffix|Index\w*|Count|strncmp|strstr|regionMatches|indexOf|position|r?find|search|match\w*|MatchString|replace\w*|split\w*|strip_(?:prefix|suffix)|Trim(?:Prefix|Suffix)|Cut\w*|count|test|exec|compile|MustCompile|RegExp|Regex::new|get|has)$/i;

/** Calls that make a regular expression. */
const PATTERNS = /(?:RegExp|Compile|Regex::new|regex|Match\w*)$/;

export const cLikeInputs: InputTrees = {
  textOf: (node) =>
    node.type === 'regex' ? (node.childForFieldName('pattern')?.text ?? null) : textOf(node),
  membersOf(node) {
    if (node.type !== 'object' && !LISTS.has(node.type)) return [];
    return childrenOf(node).map((one) => {
      const member = one.childForFieldName('key') ?? one;
      return AROUND.has(member.type) ? (childrenOf(member)[0] ?? member) : member;
    });
  },
  looksAt(node) {
    const index = indexOf(node);
    if (index !== null) return [index];
    const name = called(node);
    if (!CALLS.has(node.type) && name !== 'RegExp') return [];
    if (!LOOKS.test(name)) return [];
    const of = (node.childForFieldName('function') ?? node).childForFieldName('object');
    return [...argumentsOf(node), ...(of === null ? [] : [of])];
  },
  isPattern({ type, parent }) {
    const call = parent?.parent ?? null;
    return type === 'regex' || (call !== null && PATTERNS.test(called(call)));
  },
  isTest: cLikeAnswers.isTest!,
};

function textOf(node: SyntaxNode): string | null {
  return foldedText(node, literalText);
}

function literalText({ type, text, namedChildren }: SyntaxNode): string | null {
  if (!TEXTS.has(type) || namedChildren.some((child) => child?.type === 'template_substitution')) return null;
  const [, , value = null] = /^[A-Za-z]*[\d]?#*(["'`])([\s\S]*)\1#*$/.exec(text) ?? [];
  return value === null ? null : withoutIdleEscapes(value);
}

function isNamed(node: SyntaxNode): boolean {
  const { parent, text } = node;
  if (parent === null || CONSTANT.test(text)) return true;
  if (NAMED.has(parent.type)) return true;
  if (parent.type === 'new_expression') return parent.childForFieldName('constructor')?.id === node.id;
  // The name of a field, in Go.
  if (parent.type === 'literal_element') return parent.parent?.childForFieldName('key')?.id === parent.id;
  return parent.type === 'call_expression' && parent.childForFieldName('function')?.id === node.id;
}

function called(node: SyntaxNode): string {
  if (node.type === 'new_expression') return node.childForFieldName('constructor')?.text ?? '';
  if (node.type !== 'method_invocation') return node.childForFieldName('function')?.text ?? '';
  const [object, name] = [node.childForFieldName('object'), node.childForFieldName('name')];
  return `${object === null ? '' : `${object.text}.`}${name?.text ?? ''}`;
}

function argumentsOf(node: SyntaxNode): SyntaxNode[] {
  const list = node.childForFieldName('arguments');
  return list === null ? [] : childrenOf(list).filter(({ type }) => !/comment$/.test(type));
}

function pairsAt(node: SyntaxNode): Pair[] {
  const field = (name: string) => node.childForFieldName(name);
  if (node.type === 'pair' || node.type === 'keyed_element') return pair(field('key'), field('value'));
  if (/^assignment_(?:expression|statement)$/.test(node.type))
    return pair(indexOf(single(field('left'))), single(field('right')));
  if (CALLS.has(node.type)) {
    const name = called(node);
    const given = argumentsOf(node);
    if (PUTS.test(name) && given.length === 2) return pair(given[0]!, given[1]!);
    if (!TABLES.test(name)) return [];
    return given.flatMap((one, at) => (at % 2 === 0 ? pair(one, given[at + 1] ?? null) : []));
  }
  if (/^if_(?:statement|expression)$/.test(node.type))
    return comparedIn(field('condition')).flatMap((one) =>
      answersIn(field('consequence')).flatMap((wanted) => pair(one.given, wanted, one.isStart)),
    );
  if (/^(?:ternary|conditional)_expression$/.test(node.type))
    return comparedIn(field('condition')).flatMap((one) =>
      pair(one.given, field('consequence'), one.isStart),
    );
  const inCase = caseAt(node);
  if (inCase !== null)
    return inCase.given.flatMap((given) =>
      inCase.body.flatMap(answersIn).flatMap((wanted) => pair(given, wanted)),
    );
  return rowAt(node);
}

/** Two values in a row of rows: a table without keys, or with the names of its fields. */
function rowAt(node: SyntaxNode): Pair[] {
  const around = node.parent?.type === 'literal_element' ? node.parent.parent : node.parent;
  if (around === null || !(LISTS.has(around.type) || ARGUMENTS.has(around.type))) return [];
  if (node.type !== 'object' && !LISTS.has(node.type)) return [];
  const members = membersOf(node);
  return ARGUMENTS.has(around.type) && members.length > 2 ? [] : pairsInRow(members);
}

function membersOf(node: SyntaxNode): SyntaxNode[] {
  const list = AROUND.has(node.type) ? (childrenOf(node)[0] ?? node) : node;
  if (list.type !== 'object' && !LISTS.has(list.type)) return [];
  return childrenOf(list).map((one) => one.childForFieldName('value') ?? one);
}

/** What a case asks for, and what it does. */
function caseAt(node: SyntaxNode): { given: SyntaxNode[]; body: SyntaxNode[] } | null {
  const field = (name: string) => node.childForFieldName(name);
  const rest = (first: SyntaxNode | null) => childrenOf(node).filter(({ id }) => id !== first?.id);
  if (/^(?:expression_case|switch_case|case_statement)$/.test(node.type)) {
    const value = field('value');
    return { given: literalsIn(value), body: rest(value) };
  }
  if (node.type === 'match_arm') return { given: literalsIn(field('pattern')), body: rest(field('pattern')) };
  if (!/^switch_(?:block_statement_group|rule)$/.test(node.type)) return null;
  const [label = null] = childrenOf(node);
  return { given: literalsIn(label), body: rest(label) };
}

function literalsIn(node: SyntaxNode | null): SyntaxNode[] {
  return node === null ? [] : [...nodesOf(node)].flatMap(literalOr);
}

/** A literal as it is, or those that the file calls by a name. */
function literalOr(node: SyntaxNode): SyntaxNode[] {
  return isLiteral(node) || respelledNumber(node) !== null ? [node] : constantsOf(node, isLiteral);
}

function isLiteral(node: SyntaxNode): boolean {
  return saidBy(node, cLikeAnswers) !== null;
}

/** Of Go's lists of expressions, one that has only one. */
function single(node: SyntaxNode | null): SyntaxNode | null {
  if (node?.type !== 'expression_list') return node;
  const [first = null, ...more] = childrenOf(node);
  return more.length === 0 ? first : null;
}

function indexOf(left: SyntaxNode | null): SyntaxNode | null {
  if (left === null || !/^(?:subscript_expression|index_expression|array_access)$/.test(left.type))
    return null;
  const index = childrenOf(left)[1] ?? null;
  return index?.type === 'subscript_argument_list' ? (childrenOf(index)[0] ?? null) : index;
}

function comparedIn(condition: SyntaxNode | null): { given: SyntaxNode; isStart: boolean }[] {
  return condition === null ? [] : [...nodesOf(condition)].flatMap(askedAt);
}

/** The literals that a comparison, or a call that compares, asks for. */
function askedAt(node: SyntaxNode): { given: SyntaxNode; isStart: boolean }[] {
  const isCall = CALLS.has(node.type);
  const isPartly = isCall && PARTLY.test(called(node));
  const asks =
    isPartly ||
    (isCall && EQUAL.test(called(node))) ||
    /^(?:binary_expression|let_condition)$/.test(node.type) ||
    (node.type === 'macro_invocation' && node.text.startsWith('matches!'));
  if (!asks) return [];
  const given = node.type === 'binary_expression' ? childrenOf(node).flatMap(literalOr) : literalsIn(node);
  return given.map((one) => ({ given: one, isStart: isPartly }));
}

/** The literals that conditions of a file ask for, and that only the tests have. */
export function specialCases(
  root: SyntaxNode,
  facts: Pick<TaskFacts, 'testText' | 'allTests' | 'issue'>,
): Site[] {
  const asked = (node: SyntaxNode): { given: SyntaxNode; isStart: boolean }[] => {
    const inCase = caseAt(node);
    if (inCase !== null) return inCase.given.map((given) => ({ given, isStart: false }));
    const operator = node.childForFieldName('operator')?.text;
    return node.type === 'binary_expression' && !/^[=!]==?$/.test(operator ?? '') ? [] : askedAt(node);
  };
  let looked = 0;
  return [...nodesOf(root, (node) => !cLikeAnswers.isTest!(node))].flatMap((node) =>
    asked(node).flatMap(({ given, isStart }) => {
      looked += 1;
      const number = respelledNumber(given);
      const folded = number === null || isLiteral(given) ? null : { text: number, isNumber: true };
      const said = looked > MOST_LITERALS ? null : (folded ?? saidBy(given, cLikeAnswers));
      // Codes of errors and names of types, which tests have as well.
      if (said === null || (!said.isNumber && isName(said.text) && !isPlaceholder(said.text))) return [];
      const compared = {
        value: said.text,
        isNumber: said.isNumber,
        isWhole: !isStart,
        isFolded: folded !== null,
      };
      return isSpecialCase(compared, facts) ? [specialCase(said.text, given)] : [];
    }),
  );
}

/** What statements give back, or keep, at once. */
function answersIn(node: SyntaxNode | null): SyntaxNode[] {
  if (node === null || /comment$/.test(node.type)) return [];
  const children = childrenOf(node);
  if (BLOCKS.has(node.type)) return children.flatMap(answersIn);
  if (/^(?:return_statement|return_expression|yield_statement)$/.test(node.type)) return children.slice(0, 1);
  if (node.type === 'expression_statement') return children.slice(0, 1).flatMap(answersIn);
  if (/^assignment_(?:expression|statement)$/.test(node.type)) {
    const value = node.childForFieldName('right');
    return value === null ? [] : [value];
  }
  // The last expression of a block is its value, in Rust.
  return /(?:_statement|_declaration|_item|_definition)$/.test(node.type) ? [] : [node];
}

function fixedAt(node: SyntaxNode): { name: string; answer: SyntaxNode } | null {
  if (!FUNCTIONS.has(node.type)) return null;
  const declarator = node.childForFieldName('declarator');
  const given = (declarator ?? node).childForFieldName('parameters') ?? node.childForFieldName('parameter');
  const hasOwn = given !== null && (given.type === 'identifier' || parametersOf(given).length > 0);
  const body = node.childForFieldName('body');
  if (!hasOwn || body === null) return null;
  const isBlock = BLOCKS.has(body.type);
  const lines = (isBlock ? statementsOf(body) : [body]).filter(({ type }) => !/comment$/.test(type));
  const [answer = null] = lines.length === 1 ? (isBlock ? answersIn(lines[0]!) : [body]) : [];
  if (answer === null || hasCall(answer)) return null;
  const name =
    node.childForFieldName('name') ??
    declarator?.childForFieldName('declarator') ??
    node.parent?.childForFieldName('name') ??
    node.parent?.childForFieldName('key');
  return name == null ? null : { name: name.text.split('::').at(-1)!, answer };
}

function parametersOf(list: SyntaxNode): SyntaxNode[] {
  return childrenOf(list).filter(({ type }) => type !== 'self_parameter' && !/comment$/.test(type));
}

function statementsOf(body: SyntaxNode): SyntaxNode[] {
  return childrenOf(body).flatMap((one) => (one.type === 'statement_list' ? childrenOf(one) : [one]));
}

function hasCall(node: SyntaxNode): boolean {
  return [...nodesOf(node)].some(
    (one) => (CALLS.has(one.type) && !KEEPS.test(called(one))) || one.type === 'new_expression',
  );
}
