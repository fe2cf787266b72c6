/**
 * Modules among the code that help tests, and are no files of tests: assertions, comparisons, makers of cases, readers of golden files,
 * strategies, bases of classes of tests. A patch may add to them. What they have already decides what is right, so a change of it is doubtful
 * where the solution leaves the module as it is.
 */
import { childrenOf, type SyntaxNode, withTree } from '../../basics/syntax-tree.ts';
import { escaped } from './pattern.ts';
import { isDeeper, partText } from './python-tree.ts';

/** Names of modules and packages that help tests. */
const SUPPORT =
  /^_?(?:testing(?:_?utils?|_?helpers?|_?tools?)?|tests?_?(?:utils?|utilities|helpers?|support|tools?|kit|cases?|base)|(?:utils?|helpers?)_?tests?(?:ing)?|strategies|fixtures?|factories)$/;
/** A module with one of these, and with a class or function of tests. */
const LIBRARY =
  /^(?:from|import)[ \t]+(?:unittest|pytest|_pytest|hypothesis|testtools|twisted\.trial|django\.test)\b/m;
const OF_TESTS =
  /^class[ \t]+\w+\([^)\n]*Test(?:Case|Suite)\b|^[ \t]*@(?:pytest\.fixture|st\.composite|composite)\b|^[ \t]*(?:async[ \t]+)?def[ \t]+assert_?\w+\(/m;
/** Members that decide what a test comes to, also where a class of tests has none yet. */
const DECIDING =
  /^(?:assert|fail|run$|debug$|subTest$|setUp$|_|addTypeEqualityFunc$|longMessage$|countTestCases$|defaultTestResult$)/;
const MAX_DEPTH = 500;

/** What judges, by its name or by what it does; and what gives the values with which tests compare. */
const JUDGES =
  /^(?:\w+\.)?_?(?:assert|check|verify|expect|ensure|compare)|equal|golden|expected|snapshot|baseline|(?:^|_)(?:is|are)_?(?:same|close|alike)|(?:^|\.)all_?close/i;
const JUDGING = /\bAssertionError\b|\bpytest \. fail\b|\bself \. (?:assert|fail)\w*|@ (?:st \. )?composite\b/;
/** A class of tests. */
const CASE = /^class \w+ \( .*Test(?:Case|Suite)?\b/;
const STRATEGY = /\b(?:st|strategies|hypothesis) \. \w+ \(/;

interface Part {
  text: string;
  line: number;
}

/** The names of parts that judge, and of what these use of the same module. */
function judges(parts: ReadonlyMap<string, Part>): ReadonlySet<string> {
  const isOfCase = (name: string) => {
    const of = name.split('.')[0]!;
    return of !== name && CASE.test(parts.get(of)?.text ?? '');
  };
  const found = new Set(
    [...parts].flatMap(([name, { text }]) =>
      name !== '' &&
      (JUDGES.test(name) ||
        (!isImported(text) &&
          (JUDGING.test(text) || STRATEGY.test(text) || CASE.test(text) || isOfCase(name))))
        ? [name]
        : [],
    ),
  );
  // What such a module does beside its definitions may set how many examples there are.
  if ([...parts.values()].some(({ text }) => STRATEGY.test(text))) found.add('');
  for (const name of found)
    for (const word of (parts.get(name)?.text ?? '').split(/\W+/))
      if (parts.has(word) && !isImported(parts.get(word)!.text)) found.add(word);
  return found;
}

interface Module {
  path: string;
  before: string;
  after: string;
}

/** What is known of the task and of its patch. */
interface Known {
  /** The text of the tests, in which imports are looked up. */
  tests: string;
  /** Names of the modules that the patch adds. */
  added: ReadonlySet<string>;
}

/** The first change of what judges in a module that helps tests; null where there is none, and for other modules. */
export async function editedSupport(
  { path, before, after }: Module,
  { tests, added }: Known,
): Promise<{ line: number; what: string } | null> {
  if (!path.endsWith('.py') || !isUsed(path, before, tests)) return null;
  const [old, now] = [await partsOf(before), await partsOf(after)];
  if (old === null || now === null) return null;
  const judging = judges(old);
  const changed = [...judging].flatMap((name): [string, number][] => {
    const [was, own] = [old.get(name), now.get(name)];
    if (was?.text === own?.text) return [];
    // Imports may move, and those that are not needed may go.
    const isMove = own === undefined || (isImported(own.text) && !isOfAdded(own.text, added));
    return was !== undefined && isImported(was.text) && isMove ? [] : [[name, own?.line ?? 1]];
  });
  const more = [...now].flatMap(([name, { line }]): [string, number][] => {
    const [kind, member] = name.split('.');
    const isDeciding = member !== undefined && judging.has(kind!) && DECIDING.test(member);
    return !old.has(name) && isDeciding ? [[name, line]] : [];
  });
  const [found] = [...changed, ...more];
  if (found === undefined) return null;
  const [name, line] = found;
  const what = name === '' ? 'changes what a module for tests does' : `changes ${name} of a module for tests`;
  return { line, what };
}

function isImported(text: string): boolean {
  return text.split('\n').every((line) => line.startsWith('import '));
}

/** Whether something is imported from a module that the patch adds. */
function isOfAdded(text: string, added: ReadonlySet<string>): boolean {
  return text.split('\n').some((line) => added.has(line.split(' ')[1]!.split('.').at(-1)!));
}

/** Whether it helps tests, and the listed ones import it. */
function isUsed(path: string, text: string, tests: string): boolean {
  const parts = path.replace(/(?:\/__init__)?\.py$/, '').split('/');
  const named = parts.filter((part) => SUPPORT.test(part));
  const isSupport = named.length > 0 || (LIBRARY.test(text) && OF_TESTS.test(text));
  const names = [...named, parts.at(-1)!].map(escaped).join('|');
  // What is imported can stand on further lines.
  return isSupport && new RegExp(`^[-+ ]?\\s*(?:from|import)\\b[^\\n]*\\b(?:${names})\\b`, 'm').test(tests);
}

/** Definitions and values by their names, those of classes behind a dot; all other lines under an empty name. Null: not looked at. */
async function partsOf(text: string): Promise<Map<string, Part> | null> {
  return withTree('python', text, (root) => {
    if (isDeeper(root, MAX_DEPTH)) return null;
    const parts = new Map<string, Part>();
    const add = (name: string, node: SyntaxNode, code: string) => {
      const line = node.startPosition.row + 1;
      const known = parts.get(name);
      parts.set(name, known === undefined ? { text: code, line } : { text: `${known.text}\n${code}`, line });
    };
    for (const node of childrenOf(root)) addPart(node, '', add);
    return parts;
  });
}

type Add = (name: string, node: SyntaxNode, code: string) => void;

function addPart(node: SyntaxNode, prefix: string, add: Add): void {
  const whole = node.type === 'decorated_definition' ? node.childForFieldName('definition')! : node;
  if (whole.type === 'class_definition') {
    const name = `${prefix}${partText(whole, 'name')}`;
    const body = whole.childForFieldName('body');
    add(name, node, plain(node, body));
    for (const member of body === null ? [] : childrenOf(body)) addPart(member, `${name}.`, add);
    return;
  }
  if (whole.type === 'function_definition') {
    add(`${prefix}${partText(whole, 'name')}`, node, plain(node));
    return;
  }
  // What is imported in place of something of the same name is a change; more imports are none.
  if (/^(?:import|future_import|import_from)_statement$/.test(node.type)) {
    const from = partText(node, 'module_name');
    for (const one of node.childrenForFieldName('name')) {
      if (one == null) continue;
      const name = partText(one, 'alias') || one.text.split('.')[0]!;
      add(`${prefix}${name}`, node, `import ${from} ${partText(one, 'name') || one.text}`);
    }
    return;
  }
  if (node.type === 'comment' || isText(node)) return;
  const [inner = null] = node.type === 'expression_statement' ? childrenOf(node) : [];
  const target = inner?.type === 'assignment' ? inner.childForFieldName('left') : null;
  add(target?.type === 'identifier' ? `${prefix}${target.text}` : prefix, node, plain(node));
}

function isText(node: SyntaxNode): boolean {
  const [inner = null] = node.type === 'expression_statement' ? childrenOf(node) : [];
  return inner !== null && /^(?:string|concatenated_string)$/.test(inner.type);
}

/** The code without comments, documentation, annotations of types and blanks; `except`: a part that is left out. */
function plain(node: SyntaxNode, except: SyntaxNode | null = null): string {
  const words: string[] = [];
  const isLeft = (one: SyntaxNode) =>
    /^(?:comment|line_continuation)$/.test(one.type) ||
    one.type === 'type' ||
    isText(one) ||
    one.id === except?.id;
  const stack = [node];
  for (let one = stack.pop(); one !== undefined; one = stack.pop()) {
    if (isLeft(one)) continue;
    if (one.childCount === 0 || one.type === 'string') {
      if (one.type !== ':' && one.type !== '->') words.push(one.text);
    } else stack.push(...one.children.filter((child): child is SyntaxNode => child != null).reverse());
  }
  return words.join(' ');
}
