/** The texts that a file of settings has, with the names under which they stand. The file is read and never run. */
import { type SyntaxNode, withTree } from '../../basics/syntax-tree.ts';

export interface Literal {
  text: string;
  /** Keys of objects around it, or around the variable that holds it, the nearest first. */
  keys: string[];
}

const TEXTS = ['string', 'template_string'];
/** Calls that put their arguments into what they are called on. */
const ADDS = /^(?:push|unshift|concat)$/;

/** Of a file in JavaScript, TypeScript, JSON or YAML. */
export async function literalsIn(path: string, text: string): Promise<Literal[]> {
  if (/\.ya?ml$/.test(path)) return inYaml(text);
  // JSON with comments is an expression of JavaScript.
  if (isJson(path, text)) return (await withTree('javascript', `(${text})`, literalsOf)) ?? [];
  const grammar = /\.[cm]?ts$/.test(path) ? 'typescript' : path.endsWith('.tsx') ? 'tsx' : 'javascript';
  return (await withTree(grammar, text, literalsOf)) ?? [];
}

function isJson(path: string, text: string): boolean {
  return /\.json[c5]?$/.test(path) || (!/\.[cm]?[jt]sx?$/.test(path) && text.trimStart().startsWith('{'));
}

async function inYaml(text: string): Promise<Literal[]> {
  const { parse } = await import('yaml');
  try {
    return inValue(parse(text, { maxAliasCount: 0 }), []);
  } catch {
    return [];
  }
}

function inValue(value: unknown, keys: string[]): Literal[] {
  if (typeof value === 'string') return [{ text: value, keys }];
  if (Array.isArray(value)) return value.flatMap((one) => inValue(one, keys));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => inValue(one, [key, ...keys]));
}

function literalsOf(root: SyntaxNode): Literal[] {
  const texts = root.descendantsOfType(TEXTS).filter((node) => node != null);
  const found = texts.map((node) => ({ node, around: placesAround(node) }));
  const variables = found.flatMap(({ around }) => around.flatMap((one) => (one.variable ? [one.key] : [])));
  const uses = variables.length === 0 ? new Map<string, string[]>() : usesOf(root, new Set(variables));
  return found.flatMap(({ node, around }) => {
    const keys = around.flatMap(({ key, variable }) => (variable ? (uses.get(key) ?? []) : [key]));
    return [textOf(node), ...joined(node)].map((text) => ({ text, keys }));
  });
}

/** Variable -> keys under which it is used; of these variables alone, since to look around a node takes a while. */
function usesOf(root: SyntaxNode, variables: ReadonlySet<string>): Map<string, string[]> {
  const uses = new Map<string, string[]>();
  for (const node of root.descendantsOfType(['identifier', 'shorthand_property_identifier'])) {
    if (node == null || !variables.has(node.text) || node.parent?.type === 'variable_declarator') continue;
    const own = node.type === 'identifier' ? [] : [node.text];
    const around = placesAround(node).flatMap(({ key, variable }) => (variable ? [] : [key]));
    uses.set(node.text, [...(uses.get(node.text) ?? []), ...own, ...around]);
  }
  return uses;
}

interface Place {
  key: string;
  /** It is the name of a variable, and no key. */
  variable: boolean;
}

function placesAround(node: SyntaxNode): Place[] {
  const found: Place[] = [];
  for (let at: SyntaxNode = node, over = node.parent; over !== null; at = over, over = over.parent) {
    if (over.type === 'pair' && isField(over, 'value', at))
      found.push({ key: nameOf(over.childForFieldName('key')), variable: false });
    else if (over.type === 'variable_declarator' && isField(over, 'value', at))
      found.push({ key: nameOf(over.childForFieldName('name')), variable: true });
    else if (over.type === 'assignment_expression' && isField(over, 'right', at))
      found.push(...placesIn(over.childForFieldName('left')));
    else if (over.type === 'call_expression' && isField(over, 'arguments', at)) {
      const called = over.childForFieldName('function');
      if (ADDS.test(called?.childForFieldName('property')?.text ?? ''))
        found.push(...placesIn(called!.childForFieldName('object')));
    }
  }
  return found;
}

/** Of `config.a["b"]`: `b` and `a`, which are keys; of `a` alone, a variable. */
function placesIn(node: SyntaxNode | null): Place[] {
  const property = node?.childForFieldName('property') ?? node?.childForFieldName('index') ?? null;
  if (node === null || property === null)
    return node?.type === 'identifier' ? [{ key: node.text, variable: true }] : [];
  const object = node.childForFieldName('object');
  const above = object?.type === 'identifier' ? [] : placesIn(object);
  return [{ key: nameOf(property), variable: false }, ...above];
}

function isField(node: SyntaxNode, field: string, child: SyntaxNode): boolean {
  return node.childForFieldName(field)?.id === child.id;
}

function nameOf(node: SyntaxNode | null): string {
  return node === null ? '' : node.text.replace(/^['"`]|['"`]$/g, '');
}

function textOf(node: SyntaxNode): string {
  return node.text.slice(1, -1).replace(/\$\{[^}]*\}/g, '');
}

/** What stands between the parentheses of `path.join(folder, 'a', 'b.js')`, as one path; told at its first text. */
function joined(node: SyntaxNode): string[] {
  const list = node.parent;
  if (list?.type !== 'arguments') return [];
  const texts = list.namedChildren.filter((one) => one != null && TEXTS.includes(one.type));
  if (texts.length < 2 || texts[0]!.id !== node.id) return [];
  return [texts.map((one) => textOf(one!)).join('/')];
}
