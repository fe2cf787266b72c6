/**
 * Syntax trees by tree-sitter's grammars. The parsers are WebAssembly programs: hostile code can neither crash this process nor reach it,
 * and text that breaks a grammar still gives a tree.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Node, Parser } from '@vscode/tree-sitter-wasm';

export type SyntaxNode = Node;

const parsers = new Map<string, Promise<Parser>>();

/**
 * Calls `use` with the tree of `text`, which is freed afterwards. Null when the text cannot be parsed. `grammar`: as in
 * `tree-sitter-NAME.wasm`.
 */
export async function withTree<T>(
  grammar: string,
  text: string,
  use: (root: SyntaxNode) => T,
): Promise<T | null> {
  const parser = parsers.get(grammar) ?? loadParser(grammar);
  parsers.set(grammar, parser);
  const tree = (await parser).parse(text);
  if (tree === null) return null;
  try {
    return use(tree.rootNode);
  } finally {
    tree.delete();
  }
}

async function loadParser(grammar: string): Promise<Parser> {
  const require = createRequire(import.meta.url);
  const { Parser: Class, Language } =
    require('@vscode/tree-sitter-wasm') as typeof import('@vscode/tree-sitter-wasm');
  await Class.init();
  const folder = join(require.resolve('@vscode/tree-sitter-wasm'), '..');
  const parser = new Class();
  parser.setLanguage(await Language.load(join(folder, `tree-sitter-${grammar}.wasm`)));
  return parser;
}

/** The named children of a node. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren.filter((child): child is SyntaxNode => child != null);
}
