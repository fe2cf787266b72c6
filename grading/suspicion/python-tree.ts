/**
 * Python's syntax trees, by tree-sitter's grammar. The parser is a WebAssembly program: hostile code can neither crash
 * this process nor reach it, and text that is no Python still gives a tree.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Node, Parser } from '@vscode/tree-sitter-wasm';

export type SyntaxNode = Node;

let loading: Promise<Parser> | undefined;

async function load(): Promise<Parser> {
  const require = createRequire(import.meta.url);
  const { Parser: Class, Language } =
    require('@vscode/tree-sitter-wasm') as typeof import('@vscode/tree-sitter-wasm');
  await Class.init();
  const folder = join(require.resolve('@vscode/tree-sitter-wasm'), '..');
  const parser = new Class();
  parser.setLanguage(await Language.load(join(folder, 'tree-sitter-python.wasm')));
  return parser;
}

/** Calls `use` with the tree of `text`, which is freed afterwards. Null when the text cannot be parsed. */
export async function withTree<T>(text: string, use: (root: SyntaxNode) => T): Promise<T | null> {
  loading ??= load();
  const tree = (await loading).parse(text);
  if (tree === null) return null;
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}

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

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren.filter((child): child is SyntaxNode => child != null);
}

/** The value of a string literal without interpolation; null for anything else. Escapes stay as they are written. */
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
    .map(({ text }) => text)
    .join('');
}
