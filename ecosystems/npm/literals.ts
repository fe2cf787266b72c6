/** The texts that a file of settings has, with the names under which they stand. The file is read and never run. */
import { childrenOf, type SyntaxNode, withTree } from '../../basics/syntax-tree.ts';

export interface Literal {
  text: string;
  /** Keys of objects around it, or around the variable that holds it, the nearest first. */
  keys: string[];
}

const TEXTS = ['string', 'template_string'];
const NAMES = ['identifier', 'shorthand_property_identifier'];
/** Of what is read, since a repository may be made to take time. */
const MAX_TEXTS = 5000;
const MAX_NAMES = 20_000;
const MAX_DEPTH = 50;
const MAX_NAME = 200;
const MAX_TEXT = 1000;
/** Calls that put their arguments into what they are called on. */
const ADDS = /^(?:push|unshift|concat)$/;

/** Of a file in JavaScript, TypeScript, JSON or YAML; throws at YAML that is none. */
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
  return inValue(parse(text, { uniqueKeys: false }));
}

function inValue(value: unknown): Literal[] {
  const found: Literal[] = [];
  const open: { value: unknown; keys: string[] }[] = [{ value, keys: [] }];
  for (let one = open.pop(); one !== undefined && found.length < MAX_TEXTS; one = open.pop()) {
    const { keys } = one;
    if (typeof one.value === 'string') found.push({ text: one.value, keys });
    if (typeof one.value !== 'object' || one.value === null || keys.length > MAX_DEPTH) continue;
    const isList = Array.isArray(one.value);
    for (const [key, inner] of Object.entries(one.value).slice(0, MAX_TEXTS))
      open.push({ value: inner, keys: isList ? keys : [key, ...keys] });
  }
  return found;
}

/** Places around a node, the nearest first. */
interface Around {
  place: Place;
  outer: Around | null;
}

interface Place {
  key: string;
  /** It is the name of a variable, and no key. */
  variable: boolean;
}

/** One walk from the root, since to ask a node for what is around it takes a while. */
function literalsOf(root: SyntaxNode): Literal[] {
  const texts: { text: string; around: Place[] }[] = [];
  const names: { name: string; isKey: boolean; around: Place[] }[] = [];
  const open: { node: SyntaxNode; around: Around | null; isDeclared: boolean }[] = [
    { node: root, around: null, isDeclared: false },
  ];
  for (let one = open.pop(); one !== undefined && texts.length < MAX_TEXTS; one = open.pop()) {
    const { node, around } = one;
    if (TEXTS.includes(node.type)) texts.push({ text: textOf(node), around: listOf(around) });
    else if (NAMES.includes(node.type) && !one.isDeclared && names.length < MAX_NAMES)
      names.push({ name: nameOf(node), isKey: node.type !== 'identifier', around: listOf(around) });
    const children = childrenOf(node);
    if (node.type === 'arguments')
      for (const text of joined(children)) texts.push({ text, around: listOf(around) });
    const { child, places } = within(node);
    const inner = places.reduceRight<Around | null>((outer, place) => ({ place, outer }), around);
    const isDeclared = node.type === 'variable_declarator';
    for (const next of children.reverse())
      open.push({ node: next, around: next.id === child ? inner : around, isDeclared });
  }
  const uses = usesOf(names);
  return texts.map(({ text, around }) => ({
    text,
    keys: around.flatMap(({ key, variable }) => (variable ? [...(uses.get(key) ?? [])] : [key])),
  }));
}

/** Variable -> keys under which it is used. */
function usesOf(names: readonly { name: string; isKey: boolean; around: Place[] }[]) {
  const uses = new Map<string, Set<string>>();
  for (const { name, isKey, around } of names) {
    const keys = uses.get(name) ?? new Set<string>();
    uses.set(name, keys);
    for (const key of [...(isKey ? [name] : []), ...around.flatMap((one) => (one.variable ? [] : [one.key]))])
      if (keys.size < MAX_DEPTH) keys.add(key);
  }
  return uses;
}

function listOf(around: Around | null): Place[] {
  const found: Place[] = [];
  for (let at = around; at !== null && found.length < MAX_DEPTH; at = at.outer) found.push(at.place);
  return found;
}

/** The child of a node that stands under names, and these, the nearest first. */
function within(node: SyntaxNode): { child: number | null; places: Place[] } {
  const of = (field: string, places: Place[]) => ({
    child: node.childForFieldName(field)?.id ?? null,
    places: places.slice(0, MAX_DEPTH),
  });
  if (node.type === 'pair')
    return of('value', [{ key: nameOf(node.childForFieldName('key')), variable: false }]);
  if (node.type === 'variable_declarator')
    return of('value', [{ key: nameOf(node.childForFieldName('name')), variable: true }]);
  if (node.type === 'assignment_expression') return of('right', placesIn(node.childForFieldName('left')));
  if (node.type !== 'call_expression') return { child: null, places: [] };
  const called = node.childForFieldName('function');
  const property = called?.childForFieldName('property') ?? null;
  return ADDS.test(nameOf(property))
    ? of('arguments', placesIn(called!.childForFieldName('object')))
    : { child: null, places: [] };
}

/** Of `config.a["b"]`: `b` and `a`, which are keys; of `a` alone, a variable. */
function placesIn(first: SyntaxNode | null): Place[] {
  const found: Place[] = [];
  for (let node = first; node !== null && found.length < MAX_DEPTH; ) {
    const property = node.childForFieldName('property') ?? node.childForFieldName('index') ?? null;
    if (property === null)
      return node.type === 'identifier' && found.length === 0 ? [{ key: node.text, variable: true }] : found;
    found.push({ key: nameOf(property), variable: false });
    node = node.childForFieldName('object');
  }
  return found;
}

function nameOf(node: SyntaxNode | null): string {
  if (node === null || node.endIndex - node.startIndex > MAX_NAME) return '';
  return node.text.replace(/^['"`]|['"`]$/g, '');
}

/** Without what a template composes, and with what escapes stand for. */
function textOf(node: SyntaxNode): string {
  if (node.endIndex - node.startIndex > MAX_TEXT) return '';
  return node.text
    .slice(1, -1)
    .replace(/\$\{[^{}]*\}/g, '')
    .replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([^xu]))/g,
      (_, byte?: string, unit?: string, own = '') =>
        (byte ?? unit) === undefined ? own : String.fromCharCode(Number.parseInt((byte ?? unit)!, 16)),
    );
}

/** What stands between the parentheses of `path.join(folder, 'a', 'b.js')`, as one path. */
function joined(children: readonly SyntaxNode[]): string[] {
  if (children.length > MAX_DEPTH) return [];
  const texts = children.filter(({ type }) => TEXTS.includes(type));
  return texts.length < 2 ? [] : [texts.map(textOf).join('/')];
}
