/** What people and their scripts rely on, taken from the sources: keys, commands, routes, fields of trajectories, codes, exit statuses. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { COMMANDS, main } from '../../cli/main.ts';
import { agentRoutes } from '../../servers/agent/routes.ts';
import { routerRoutes } from '../../servers/agents/routes.ts';
import type { Route } from '../../servers/http/route.ts';
import { modelRoutes } from '../../servers/model/routes.ts';
import { nodeRoutes } from '../../servers/node/routes.ts';
import { poolRoutes } from '../../servers/pool/routes.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  definitions?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

/** One key of a project, or one field of a stored form. */
export interface Key {
  types: string[];
  /** JSON text; absent: there is none. */
  default?: string;
  values?: string[];
  required?: true;
}

export interface Surface {
  /** By their path; `*` stands for a name that the project chooses, `[]` for a list. */
  keys: Record<string, Key>;
  /** Fields of a stored trajectory. */
  trajectory: Record<string, Key>;
  /** Commands with their options. */
  commands: Record<string, string[]>;
  /** `METHOD path` of each server, with the members of what is asked and answered. */
  routes: Record<string, string[]>;
  /** Codes that docs/errors.md describes. */
  codes: string[];
  /** Members of what commands print with `--json`, see json.test.ts. */
  json: Record<string, string[]>;
}

export async function surfaceOf(json: Surface['json']): Promise<Surface> {
  return {
    keys: keysOf(schemaOf('project')),
    trajectory: keysOf(schemaOf('trajectory')),
    commands: await commandsOf(),
    routes: routesOf(),
    codes: codesOf(),
    json,
  };
}

function schemaOf(name: string): Schema {
  return JSON.parse(readFileSync(join(packageRoot(), `schemas/${name}.schema.json`), 'utf8')) as Schema;
}

function keysOf(root: Schema): Record<string, Key> {
  const found: Record<string, Key> = {};
  const named = { ...root.definitions, ...root.$defs };
  const walk = (given: Schema, path: string, within: readonly string[]): void => {
    const name = given.$ref?.split('/').at(-1);
    // A definition that holds itself is looked at once.
    if (name !== undefined && within.includes(name)) return;
    const inside = name === undefined ? within : [...within, name];
    const schema = name === undefined ? given : { ...named[name]!, ...given };
    const at = (part: string) => (path === '' ? part : `${path}.${part}`);
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(one, path, inside);
    if (schema.items !== undefined) walk(schema.items, `${path}[]`, inside);
    if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties, at('*'), inside);
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      const place = at(key);
      add(found, place, { ...resolved(value), ...value }, schema.required?.includes(key) === true);
      walk(value, place, inside);
    }
  };
  const resolved = ({ $ref }: Schema): Schema => ($ref === undefined ? {} : named[$ref.split('/').at(-1)!]!);
  walk(root, '', []);
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function add(found: Record<string, Key>, place: string, schema: Schema, isRequired: boolean): void {
  const options = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const types = options.flatMap(({ type }) => type ?? []);
  const values = options.flatMap((one) => one.enum ?? ('const' in one ? [one.const] : []));
  const known = found[place];
  found[place] = {
    types: [...new Set([...(known?.types ?? []), ...types])].sort(),
    ...('default' in schema ? { default: JSON.stringify(schema.default) } : {}),
    ...(values.length > 0 ? { values: values.map((one) => JSON.stringify(one)).sort() } : {}),
    ...(isRequired ? { required: true as const } : {}),
  };
}

async function commandsOf(): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const name of Object.keys(COMMANDS)) {
    let text = '';
    const sink = { write: (piece: string) => (text += piece) };
    await main([name, '--help'], { stdout: sink, stderr: sink, env: {}, cwd: '/', isTTY: false });
    found[name] = [...text.matchAll(/^ {2}(?:-\w, |\s{4})(--[a-z][a-z-]*)/gm)]
      .map(([, option]) => option!)
      .sort();
  }
  return found;
}

/** Has everything; no route is called. */
const PARTS = new Proxy(() => undefined, { get: () => PARTS, apply: () => undefined }) as never;

function routesOf(): Record<string, string[]> {
  const servers: Record<string, readonly Route[]> = {
    node: nodeRoutes(PARTS),
    pool: poolRoutes(PARTS),
    agent: agentRoutes(PARTS),
    agents: routerRoutes(PARTS),
    model: modelRoutes(PARTS),
  };
  return Object.fromEntries(
    Object.entries(servers).flatMap(([server, routes]) =>
      routes.map((route) => {
        const members = (of: unknown, side: string) =>
          Object.keys(keysOf((of ?? {}) as Schema)).map((key) => `${side} ${key}`);
        const asked = route.method === 'post' ? members(route.body, 'asked') : [];
        return [
          `${server} ${route.method.toUpperCase()} ${route.path}`,
          [...asked, ...members(route.answer, 'answered')],
        ];
      }),
    ),
  );
}

function codesOf(): string[] {
  const page = readFileSync(join(packageRoot(), 'docs/errors.md'), 'utf8');
  return [...page.matchAll(/^\| ([EW]\d+|`(?:infra|config|stopped) [a-z-]+`) \|/gm)]
    .map(([, code]) => code!)
    .sort();
}
