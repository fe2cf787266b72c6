/** Walks Python's syntax trees. */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';

/**
 * Every named node of a tree, parents first; `enters`: those whose children are wanted. It uses no recursion, since code can be
 * nested as deeply as it likes.
 */
export function* nodesOf(
  root: SyntaxNode,
  enters: (node: SyntaxNode) => boolean = () => true,
): Generator<SyntaxNode> {
  const stack = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node;
    if (enters(node)) stack.push(...childrenOf(node).reverse());
  }
}

/** The text of a part of a node, by the grammar's name for the part; empty if there is none. */
export function partText(node: SyntaxNode | null | undefined, part: string): string {
  return node?.childForFieldName(part)?.text ?? '';
}

/** Whether something in a tree lies more than `most` nodes deep. */
export function isDeeper(root: SyntaxNode, most: number): boolean {
  const cursor = root.walk();
  try {
    for (;;) {
      if (cursor.currentDepth > most) return true;
      if (cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
    }
  } finally {
    cursor.delete();
  }
}

/** Replaces escapes of letters and digits, such as `\x61`, by the characters. Honest code has no use for such escapes. */
export function withoutIdleEscapes(text: string): string {
  return text.replace(/\\(?:x|u00|u\{0{0,4})(3\d|[46][1-9a-f]|[57][0-9a])\}?/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The value of a string literal without interpolation; null for anything else. Other escapes stay as they are written. */
export function stringValue(node: SyntaxNode | null): string | null {
  if (node === null) return null;
  if (node.type === 'concatenated_string' || node.type === 'parenthesized_expression') {
    const parts = node.namedChildren.map((child) => stringValue(child));
    return parts.length > 0 && parts.every((part) => part !== null) ? parts.join('') : null;
  }
  if (node.type !== 'string') return null;
  const parts = childrenOf(node);
  if (parts.some(({ type }) => type === 'interpolation')) return null;
  return parts
    .filter(({ type }) => type === 'string_content')
    .map(({ text }) => withoutIdleEscapes(text))
    .join('');
}

/** The same with a star for what is filled in; empty for what is no string. */
export function looseValue(node: SyntaxNode): string {
  if (node.type !== 'string') return stringValue(node) ?? '';
  return childrenOf(node)
    .map(({ type, text }) => (type === 'string_content' ? text : type === 'interpolation' ? '*' : ''))
    .join('');
}
