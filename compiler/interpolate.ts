/**
 * `${env:NAME}` and `${env:NAME:-default}` become the variable's value, which from then on counts like any other.
 * `${secret:NAME}` stays as it is: only the process that needs the secret ever sees its value.
 */

import { closest } from '../basics/suggest.ts';
import type { DiagnosticSink } from './diagnostic.ts';
import { mapValues } from './merge.ts';
import { PROJECT_SCHEMA, type Schema, SECRET_KEYS, schemaOfChild, typesOf } from './schema.ts';
import type { Span } from './source-text.ts';
import type { Node, Path, Scalar, ScalarNode } from './tree.ts';

export interface Interpolated {
  root: Node;
  /** Placeholder, as it stands in the config -> name of the variable. */
  secrets: Map<string, string>;
  /** Every variable that was asked for, with its value or null when there is none. */
  env: Map<string, string | null>;
  /** Values that could not be made; no further error names them. */
  broken: Path[];
}

const EXPRESSION = /\$?\$\{(env|secret):([^}]*)(\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `root` with the variables inserted. */
export function interpolate(
  root: Node,
  variables: ReadonlyMap<string, string>,
  sink: DiagnosticSink,
): Interpolated {
  const result: Interpolated = { root, secrets: new Map(), env: new Map(), broken: [] };
  const visit = (node: Node, schema: Schema | undefined, path: Path): Node => {
    const below = (value: Node, key: string) =>
      visit(value, schema && schemaOfChild(schema, key), [...path, key]);
    if (node.kind === 'map') return { ...node, entries: mapValues(node, below) };
    if (node.kind === 'list')
      return { ...node, items: node.items.map((item, index) => below(item, `${index}`)) };
    if (typeof node.value !== 'string' || !/\$\{(env|secret):/.test(node.value)) return node;
    const done = insert(node, node.value, schema ?? {}, variables, result, sink);
    if (done === null) result.broken.push(path);
    return done ?? node;
  };
  result.root = visit(root, PROJECT_SCHEMA, []);
  return result;
}

function insert(
  node: ScalarNode,
  value: string,
  schema: Schema,
  variables: ReadonlyMap<string, string>,
  result: Interpolated,
  sink: DiagnosticSink,
): ScalarNode | null {
  const used: string[] = [];
  let broken = false;
  const fail = (code: string, expression: string, message: string, remedy: string) => {
    sink.add(code, within(node.span, expression), message, remedy);
    broken = true;
    return '';
  };
  const text = value.replace(EXPRESSION, (expression: string, kind: string, body: string, close: string) => {
    if (close === '') return fail('E121', expression, `"${expression}" is not closed`, 'add }');
    if (kind === 'secret') {
      const wrong = wrongSecret(expression, body, schema);
      if (wrong !== null) return fail(...wrong);
      result.secrets.set(expression, body);
      return expression;
    }
    if (expression.startsWith('$$')) return expression.slice(1);
    const [name = '', ...rest] = body.split(':-');
    if (!NAME.test(name))
      return fail(
        'E121',
        expression,
        `"${name}" names no variable`,
        'write ${env:NAME} or ${env:NAME:-default}',
      );
    const found = variables.get(name);
    result.env.set(name, found ?? null);
    used.push(name);
    if (found?.includes('${secret:'))
      return fail(
        'E121',
        expression,
        `the value of ${name} holds a \${secret:…}`,
        'write the ${secret:…} in the project file',
      );
    if (found !== undefined || rest.length > 0) return found ?? rest.join(':-');
    return fail('E120', expression, `environment variable ${name} is not set`, absent(name, variables));
  });
  if (broken) return null;
  const via = used.length > 0 ? { ...node.via, env: used } : node.via;
  return { ...node, value: used.length > 0 ? typed(text, schema) : text, text, via };
}

function wrongSecret(
  expression: string,
  name: string,
  schema: Schema,
): [string, string, string, string] | null {
  if (expression.startsWith('$$'))
    return ['E121', expression, 'a secret cannot be escaped', 'write ${secret:NAME}'];
  if (!NAME.test(name)) {
    const remedy = 'write ${secret:NAME}; a secret has no default';
    return ['E121', expression, `"${name}" names no variable`, remedy];
  }
  if (schema['x-secret'] === true) return null;
  const remedy = `secrets are allowed in ${SECRET_KEYS}; for a value that is not secret, write \${env:NAME}`;
  return ['E117', expression, 'a secret is not allowed here', remedy];
}

function absent(name: string, variables: ReadonlyMap<string, string>): string {
  const near = closest(name, variables.keys());
  const set = `set it, or write \${env:${name}:-default}`;
  return near === null ? set : `did you mean ${near}? else ${set}`;
}

/** Variables are text; where the schema wants a number or true and false, what looks like one becomes one. */
function typed(text: string, schema: Schema): Scalar {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes('string')) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  const numeric = types.includes('integer') || types.includes('number');
  return numeric && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** The expression's own place, when it is written as it reads. */
function within(span: Span, expression: string): Span {
  const at = span.source.text.slice(span.start, span.end).indexOf(expression);
  return at < 0
    ? span
    : { source: span.source, start: span.start + at, end: span.start + at + expression.length };
}
