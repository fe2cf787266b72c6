/** Literals that a file gives names of their own: a condition may ask for these by name. */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';

/** Literals of one name. */
const MOST_OF_NAME = 20;
/** What has a name and a value and is no variable: an argument, and a member of a table. */
const NO_VARIABLE = /^(?:keyword_argument|pair|keyed_element|jsx_attribute)$/;

/** A member of a class or module, and the fields that have its name. */
const MEMBER = /^(?:attribute|(?:member|field|selector)_expression|field_access|scoped_identifier)$/;
const MEMBERS = ['attribute', 'property', 'field', 'name'];

const FUNCTION =
  /^(?:function_(?:declaration|definition|expression|item)|(?:method|constructor)_(?:declaration|definition)|generator_function(?:_declaration)?|arrow_function|func_literal|closure_expression|lambda(?:_expression)?)$/;
/** Assignments that may change a variable outside of the function. Python's need `global` or `nonlocal` before them. */
const ASSIGNS = /^assignment_(?:expression|statement)$/;

interface Constant {
  value: SyntaxNode;
  /** The function in which the name has this value; null: the whole file. */
  scope: SyntaxNode | null;
}

/** By tree: name -> literals. Each tree is walked once. */
const known = new WeakMap<object, ReadonlyMap<string, Constant[]>>();

/** The literals that the file gives the name where it is used; none for what is no name. */
export function constantsOf(node: SyntaxNode, isLiteral: (value: SyntaxNode) => boolean): SyntaxNode[] {
  const name = nameIn(node);
  if (name === null) return [];
  let constants = known.get(node.tree);
  if (constants === undefined) {
    constants = constantsIn(node.tree.rootNode, isLiteral);
    known.set(node.tree, constants);
  }
  const isThere = ({ scope }: Constant) =>
    scope === null || (scope.startIndex <= node.startIndex && node.endIndex <= scope.endIndex);
  return (constants.get(name) ?? []).filter(isThere).map(({ value }) => value);
}

function nameIn(node: SyntaxNode): string | null {
  if (node.type === 'identifier') return node.text;
  if (!MEMBER.test(node.type)) return null;
  return MEMBERS.map((part) => node.childForFieldName(part)?.text).find((text) => text !== undefined) ?? null;
}

function constantsIn(root: SyntaxNode, isLiteral: (value: SyntaxNode) => boolean): Map<string, Constant[]> {
  const constants = new Map<string, Constant[]>();
  /** `ID NAME`: the function with this id declares the name `global` or `nonlocal`. */
  const outer = new Set<string>();
  const stack: [node: SyntaxNode, within: SyntaxNode | null][] = [[root, null]];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const [node, within] = top;
    const scope = FUNCTION.test(node.type) ? node : within;
    for (const child of childrenOf(node).reverse()) stack.push([child, scope]);
    if (/^(?:global|nonlocal)_statement$/.test(node.type))
      for (const { text } of childrenOf(node)) outer.add(`${scope?.id} ${text}`);
    if (NO_VARIABLE.test(node.type)) continue;
    const value = only(node.childForFieldName('value') ?? node.childForFieldName('right'));
    if (value === null || !isLiteral(value)) continue;
    const name = ['name', 'pattern', 'left', 'declarator']
      .map((field) => node.childForFieldName(field))
      .find((part) => part !== null);
    // With a star before it, where it is a pointer.
    const text = name?.text.replace(/^[*&\s]+/, '') ?? '';
    const literals = constants.get(text) ?? [];
    const isOuter = ASSIGNS.test(node.type) || outer.has(`${scope?.id} ${text}`);
    if (literals.length < MOST_OF_NAME)
      constants.set(text, [...literals, { value, scope: isOuter ? null : scope }]);
  }
  return constants;
}

/** Without parentheses, and of Go's lists of expressions one that has only one. */
function only(node: SyntaxNode | null): SyntaxNode | null {
  const isAround = node !== null && /^(?:parenthesized_expression|expression_list)$/.test(node.type);
  return isAround && node.namedChildCount === 1 ? node.namedChild(0) : node;
}
