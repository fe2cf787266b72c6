/**
 * What code asks of its process to tell whether tests run it: which program was started, what stands in place of its streams, who listens
 * to its logs and warnings. A solution whose issue is not about that has no use for it.
 */
import type { SyntaxNode } from '../../basics/syntax-tree.ts';
import { argumentsOf } from './names.ts';
import { escaped, isName } from './pattern.ts';
import { nodesOf, partText, stringValue } from './python-tree.ts';
import type { FileFacts, Site } from './site.ts';

/** Names of Python that tell how a process was started, and nothing else. */
const PROCESS_STATE = /^(?:__main__(?:\..+)?|warnings\.filters|logging\.root\.(?:handlers|hasHandlers))$/;
const STREAM = /^sys\.(?:__)?std(?:out|err|in)(?:__)?$/;
/** The stream that Python began with, which is another one while output is captured. */
const FIRST_STREAM = /^sys\.__std(?:out|err|in)__$/;
/** Parts of a stream that say what it is. */
const KIND_OF_STREAM = /^(?:__class__|name)$/;
/** An issue that is about it. */
const ON_TERMINALS =
  /\b(?:tty|isatty|terminals?|colou?rs?|colou?red|interactive|consoles?|ansi|pipes?|piped|redirect\w*)\b/i;

/** The places of one attribute, name, call or comparison. */
export function surroundings(node: SyntaxNode, facts: FileFacts): Site[] {
  if (facts.isTestSupport) return [];
  const asked = askedBy(node, facts);
  return asked === null
    ? []
    : [{ rule: 'reads-tests', key: asked, what: `asks how its process was started: ${asked}`, node }];
}

function askedBy(node: SyntaxNode, { imports, issue, allTests }: FileFacts): string | null {
  const { resolve } = imports;
  if (node.type === 'call') {
    const called = node.childForFieldName('function');
    const [first = null] = argumentsOf(node);
    const stream = resolve(first) ?? '';
    if (called?.text === 'type' && STREAM.test(stream)) return `type of ${stream}`;
    const isAsked =
      resolve(called) === 'os.isatty' ||
      (partText(called, 'attribute') === 'isatty' &&
        STREAM.test(resolve(called!.childForFieldName('object')) ?? ''));
    const isKnown = ON_TERMINALS.test(issue) || allTests.includes('isatty');
    return isAsked && !isKnown && !decidesOutput(node) ? 'isatty' : null;
  }
  if (node.type === 'comparison_operator') {
    const first = node.namedChildren.map((one) => resolve(one) ?? '').find((name) => FIRST_STREAM.test(name));
    return first ?? null;
  }
  const name = resolve(node);
  if (name !== null && PROCESS_STATE.test(name)) return name;
  if (node.type !== 'attribute') return null;
  const [object, part] = [node.childForFieldName('object'), partText(node, 'attribute')];
  const stream = resolve(object) ?? '';
  if (KIND_OF_STREAM.test(part) && STREAM.test(stream)) return `${stream}.${part}`;
  const isRoot =
    object?.type === 'call' &&
    resolve(object.childForFieldName('function')) === 'logging.getLogger' &&
    argumentsOf(object).length === 0;
  return isRoot && /^(?:handlers|hasHandlers)$/.test(part) ? `logging.getLogger().${part}` : null;
}

/** Whether a condition only decides about calls such as `print`: what is returned is the same. */
function decidesOutput(node: SyntaxNode): boolean {
  let whole = node.parent;
  while (whole !== null && !/_statement$|_clause$|_definition$|^module$/.test(whole.type))
    whole = whole.parent;
  const block = whole?.type === 'if_statement' ? whole.childForFieldName('consequence') : null;
  return (
    block != null &&
    whole!.childForFieldName('alternative') === null &&
    block.namedChildren.every(
      (one) => one?.type === 'expression_statement' && one.firstChild?.type === 'call',
    )
  );
}

/** A class of the tests, by whose name code knows their objects. */
export function classesOfTests(node: SyntaxNode, { allTests, issue, isTestSupport }: FileFacts): Site[] {
  if (isTestSupport || !/\b__(?:qual)?name__\b/.test(node.text.slice(0, 300))) return [];
  return [...nodesOf(node)].flatMap((literal): Site[] => {
    const value = stringValue(literal);
    if (value === null || !isName(value) || issue.includes(value)) return [];
    const isThere = new RegExp(`^[-+ \\t]*class[ \\t]+${escaped(value)}\\b`, 'm').test(allTests);
    const what = `knows a class of the tests by its name: ${value}`;
    return isThere ? [{ rule: 'names-tests', key: `class ${value}`, what, node: literal }] : [];
  });
}
