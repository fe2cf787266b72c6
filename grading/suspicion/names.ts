/** What the names of a Python file stand for, as far as its imports tell. */
import { childrenOf, type SyntaxNode } from '../../basics/syntax-tree.ts';
import { nodesOf, partText, stringValue } from './python-tree.ts';

export interface Imports {
  /** The dotted name that an expression stands for, such as `sys.modules`; null when no import tells. */
  resolve(node: SyntaxNode | null): string | null;
  /** Dotted names that are imported, with the node that does. */
  readonly all: readonly { name: string; node: SyntaxNode; isRelative: boolean }[];
}

/** How deep a chain of attributes may be. */
const MAX_CHAIN = 16;

export function importsOf(root: SyntaxNode): Imports {
  const bound = new Map<string, string>();
  const all: { name: string; node: SyntaxNode; isRelative: boolean }[] = [];
  const add = (local: string, name: string, node: SyntaxNode, isRelative = false) => {
    bound.set(local, name);
    all.push({ name, node, isRelative });
  };
  for (const node of nodesOf(root)) {
    if (node.type === 'import_statement') {
      for (const { name, alias } of clauses(node, 'name'))
        add(alias ?? name.split('.')[0]!, alias === null ? name.split('.')[0]! : name, node);
      // `import a.b` binds a; that a.b is loaded counts as well.
      for (const { name } of clauses(node, 'name'))
        if (name.includes('.')) all.push({ name, node, isRelative: false });
    }
    if (node.type === 'import_from_statement') {
      const from = node.childForFieldName('module_name');
      const isRelative = from?.type === 'relative_import';
      const module = from?.text ?? '';
      for (const { name, alias } of clauses(node, 'name')) {
        const full = module.endsWith('.') ? `${module}${name}` : `${module}.${name}`;
        add(alias ?? name, full, node, isRelative);
      }
      if (!isRelative && module !== '') all.push({ name: module, node, isRelative });
    }
  }
  const resolve = (node: SyntaxNode | null, depth = 0): string | null => {
    if (node === null || depth > MAX_CHAIN) return null;
    if (node.type === 'identifier') return bound.get(node.text) ?? null;
    if (node.type === 'parenthesized_expression') return resolve(node.namedChildren[0] ?? null, depth + 1);
    if (node.type === 'attribute') {
      const object = resolve(node.childForFieldName('object'), depth + 1);
      return object === null ? null : `${object}.${partText(node, 'attribute')}`;
    }
    if (node.type === 'subscript' && resolve(node.childForFieldName('value'), depth + 1) === 'sys.modules')
      return stringValue(node.childForFieldName('subscript'));
    return node.type === 'call' ? importedByCall(node, depth) : null;
  };
  /** `__import__('gc')`, `importlib.import_module('gc')` and `sys.modules['gc']` are modules, too. */
  const importedByCall = (node: SyntaxNode, depth: number): string | null => {
    const called = node.childForFieldName('function');
    const isImport =
      called?.text === '__import__' ||
      /^(?:importlib\.import_module|sys\.modules\.get)$/.test(resolve(called, depth + 1) ?? '');
    return isImport ? stringValue(argumentsOf(node)[0] ?? null) : null;
  };
  return { resolve, all };
}

function clauses(node: SyntaxNode, field: string): { name: string; alias: string | null }[] {
  return node.childrenForFieldName(field).flatMap((child) => {
    if (child == null) return [];
    if (child.type !== 'aliased_import') return [{ name: child.text, alias: null }];
    const name = partText(child, 'name');
    return [{ name, alias: child.childForFieldName('alias')?.text ?? null }];
  });
}

/** The arguments of a call, without comments. */
export function argumentsOf(call: SyntaxNode): SyntaxNode[] {
  const list = call.childForFieldName('arguments');
  return list === null ? [] : childrenOf(list).filter(({ type }) => type !== 'comment');
}
