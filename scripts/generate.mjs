/**
 * Makes what follows from the registered kinds and from the schemas: what the project's schema says of deployments and of
 * formats, the types of a resolved project and of a trajectory, a validator compiled ahead of time (so that no run pays for ajv)
 * docs/reference.md, and tables of other pages. The results are committed; `stale` says which of them no longer fit.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import { build, transform } from 'esbuild';
import { compile } from 'json-schema-to-typescript';
import { editorSchema } from './editor-schema.mjs';
import { pagesWithTables } from './format-tables.mjs';
import { programsModule } from './programs.mjs';
import { reference } from './reference.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NOTE = 'Generated from schemas/project.schema.json by scripts/generate.mjs; change the schema instead.';

const SCHEMA = 'schemas/project.schema.json';
const EDITORS = 'schemas/editor.schema.json';
const PROGRAMS = 'schemas/generated/agents.ts';

/** Path (relative to the repository) -> text of every generated file. */
export async function generated() {
  const text = readFileSync(join(ROOT, SCHEMA), 'utf8');
  const schema = JSON.parse(text);
  const before = JSON.stringify(schema);
  // Named as a file that the formatter does not leave out.
  const programs = formatted('agents.ts', programsModule(ROOT, schema));
  const kinds = await registeredKinds(programs);
  takeKinds(schema, kinds);
  const isSame = JSON.stringify(schema) === before;
  return {
    [SCHEMA]: isSame ? text : formatted(SCHEMA, JSON.stringify(schema, null, 2)),
    [EDITORS]: formatted(EDITORS, JSON.stringify(editorSchema(schema), null, 2)),
    [PROGRAMS]: programs,
    'schemas/generated/project.ts': await types(schema),
    'schemas/generated/trajectory.ts': await trajectoryTypes(),
    'schemas/generated/validate.js': await validator(schema),
    'schemas/generated/validate.d.ts': VALIDATOR_TYPES,
    'docs/reference.md': reference(schema, NOTE),
    ...pagesWithTables(kinds, (path) => readFileSync(join(ROOT, path), 'utf8')),
  };
}

/** Writes the files that differ, so that an unchanged schema touches nothing. */
export async function writeGenerated() {
  for (const [path, text] of Object.entries(await generated())) {
    const file = join(ROOT, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The generated files that are not what the schema gives. */
export async function stale() {
  const files = Object.entries(await generated());
  const current = (path) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : null);
  return files.filter(([path, text]) => current(path) !== text).map(([path]) => path);
}

/** Writes into the schema what the registered kinds have: of a deployment those of executors, of a dataset the formats, of a training the trainers, of an agent its types, of a model the engines that serve it. */
function takeKinds(
  { definitions },
  { deployment, ecosystem, engine, formats, sft, rl, agentProperties, overrideProperties, AGENTS, EVERY },
) {
  definitions.deployment = deployment;
  definitions.recipe.properties.ecosystem = ecosystem;
  definitions.model.properties.serve.properties.engine = engine;
  const { model, modelOverrides } = definitions;
  const { from } = modelOverrides.properties;
  modelOverrides.properties = { ...overrideProperties(model.properties, definitions), from };
  const { properties } = definitions.datasetKeys;
  Object.assign(properties, { format: formats.format, inner: formats.inner });
  definitions.validation.properties.timeout.description = formats.timeout;
  definitions.sft.properties = sft;
  definitions.rl.properties = rl;
  const agent = agentProperties(AGENTS, EVERY, definitions.agent.properties);
  definitions.agent.properties = agent;
  definitions.agentOverrides.properties = overrideProperties(agent, definitions);
}

async function registeredKinds(programs) {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { deploymentDefinition } from './executors/definition.ts';
        import { KINDS } from './executors/registry.ts';
        import { formatDefinitions } from './formats/definition.ts';
        import { FORMATS } from './formats/registry.ts';
        import { trainerProperties } from './trainers/definition.ts';
        import { TRAINERS } from './trainers/registry.ts';
        import { ecosystemProperty } from './ecosystems/definition.ts';
        import { ECOSYSTEMS } from './ecosystems/registry.ts';
        import { engineProperty } from './tasks/serving/engines/definition.ts';
        import { ENGINES } from './tasks/serving/engines/registry.ts';
        import { TEMPLATES } from './app/init/templates.ts';
        import { agentProperties, overrideProperties } from './agent/kinds/definition.ts';
        import { AGENTS, EVERY } from './agent/kinds/registry.ts';
        export const deployment = deploymentDefinition(KINDS);
        export const formats = formatDefinitions(FORMATS);
        export const sft = trainerProperties('sft', TRAINERS);
        export const rl = trainerProperties('rl', TRAINERS);
        export const engine = engineProperty(ENGINES);
        export const ecosystem = ecosystemProperty(ECOSYSTEMS);
        export { AGENTS, EVERY, FORMATS, TEMPLATES, TRAINERS, agentProperties, overrideProperties };`,
      resolveDir: ROOT,
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    // What a kind runs is loaded with its first use, and needs not be read here.
    plugins: [
      { name: 'kinds-only', setup: ({ onResolve }) => onResolve({ filter: /^\./ }, leaveDynamic) },
      {
        name: 'programs-as-they-are-now',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /generated\/agents\.ts$/ }, ({ path }) => ({ path, namespace: 'programs' }));
          onLoad({ filter: /./, namespace: 'programs' }, () => ({ contents: programs, loader: 'ts' }));
        },
      },
    ],
  });
  const code = Buffer.from(outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

function leaveDynamic({ kind }) {
  return kind === 'dynamic-import' ? { external: true } : null;
}

/** As the formatter writes it. */
function formatted(path, input) {
  const args = ['format', `--stdin-file-path=${path}`];
  return execFileSync(join(ROOT, 'node_modules/.bin/biome'), args, { cwd: ROOT, input, encoding: 'utf8' });
}

const VALIDATOR_TYPES = `/** ${NOTE} */
export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
  propertyName?: string;
}
export interface Validate {
  (value: unknown): boolean;
  errors?: SchemaError[] | null;
}
/** Compares plain data with the schema of a project file; what is wrong is left in \`errors\`. */
export declare const validate: Validate;
`;

async function validator(full) {
  const schema = bare(full);
  const ajv = new Ajv({
    allErrors: true,
    messages: false,
    strict: false,
    code: { source: true, esm: true },
  });
  ajv.addSchema(schema, 'validate');
  const code = standalone.default(ajv, { validate: 'validate' });
  if (code.includes('require(')) throw new Error('the validator needs ajv at run time; avoid that keyword');
  const small = await transform(code, { minifyWhitespace: true, minifySyntax: true, lineLimit: 160 });
  return `/* ${NOTE} */\n${small.code}`;
}

/** The schema without what only people and editors read, and without what is composed away before validation. */
function bare(full) {
  const { extends: _extends, profiles: _profiles, ...properties } = full.properties;
  const { profile: _profile, ...definitions } = full.definitions;
  const strip = (one, isMapOfSchemas) => {
    if (Array.isArray(one)) return one.map((each) => strip(each, false));
    if (one === null || typeof one !== 'object') return one;
    const drop = (key) => !isMapOfSchemas && (ANNOTATIONS.has(key) || key.startsWith('x-'));
    const kept = Object.entries(one).filter(([key]) => !drop(key));
    return Object.fromEntries(
      kept.map(([key, value]) => [key, strip(value, key === 'properties' || key === 'definitions')]),
    );
  };
  return strip({ ...full, properties, definitions }, false);
}

const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples']);

async function types(schema) {
  return await compile(resolvedSchema(schema), 'Project', {
    additionalProperties: false,
    bannerComment: `/** ${NOTE} */`,
    style: { singleQuote: true, printWidth: 110 },
  });
}

/** Types of stored trajectories; their schema is for those who read them. */
async function trajectoryTypes() {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/trajectory.schema.json'), 'utf8'));
  return await compile(schema, 'Trajectory', {
    additionalProperties: false,
    bannerComment: `/** ${NOTE.replace('project.schema.json', 'trajectory.schema.json')} */`,
    style: { singleQuote: true, printWidth: 110 },
  });
}

/**
 * The schema of a project after resolution: nothing left to compose, defaults filled in, times in seconds and
 * sizes in bytes.
 */
function resolvedSchema(schema) {
  const definitions = Object.fromEntries(
    Object.entries(schema.definitions).map(([name, one]) => [name, structuredClone(one)]),
  );
  const target = (one) => (one.$ref === undefined ? one : definitions[one.$ref.split('/').at(-1)]);

  const visit = (one) => {
    if (one.$ref !== undefined) return { $ref: one.$ref };
    if (one.allOf !== undefined) return visit(withoutAllOf(target(one.allOf[0]), one));
    const { pattern, propertyNames, exclusiveMinimum, default: _, ...result } = one;
    if (one['x-unit'] !== undefined) {
      result.type = 'number';
      result.description = `${one.description} In ${one['x-unit']}.`;
    }
    if (one.items !== undefined) result.items = visit(one.items);
    if (typeof one.additionalProperties === 'object')
      result.additionalProperties = visit(one.additionalProperties);
    if (one.properties !== undefined) {
      const entries = Object.entries(one.properties);
      const always = entries.filter(([, key]) => isAlwaysThere(target(key))).map(([name]) => name);
      result.properties = Object.fromEntries(entries.map(([name, key]) => [name, visit(key)]));
      result.required = [...new Set([...(one.required ?? []), ...always])];
    }
    return result;
  };

  const { extends: _extends, profiles: _profiles, ...properties } = schema.properties;
  const { profile: _profile, ...kept } = definitions;
  const root = visit({ ...schema, properties, $id: undefined, definitions: undefined });
  return { ...root, definitions: Object.fromEntries(Object.entries(kept).map(([n, d]) => [n, visit(d)])) };
}

function withoutAllOf(base, { allOf: _, ...rest }) {
  return { ...base, ...rest };
}

function isAlwaysThere(schema) {
  return 'default' in schema || schema['x-always'] === true;
}
