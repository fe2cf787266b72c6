/**
 * The manifests of `nodes --render kubernetes` are valid by the published schemas of Kubernetes and KubeRay, which are closed here: a
 * server drops a field that it does not know, which would then do nothing. Needs the schemas:
 *
 * KUBERNETES_SWAGGER: `api/openapi-spec/swagger.json` of Kubernetes. KUBERAY_CRDS: a folder with `ray.io_rayclusters.yaml` and
 * `ray.io_rayjobs.yaml` of KubeRay.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { command } from '../rig/command.ts';
import { clusterProject, serverProject } from './projects.ts';

const { KUBERNETES_SWAGGER = '', KUBERAY_CRDS = '' } = process.env;
const hasSchemas = existsSync(KUBERNETES_SWAGGER) && existsSync(KUBERAY_CRDS);
if (!hasSchemas) console.log('skipped: KUBERNETES_SWAGGER and KUBERAY_CRDS name no schemas');

interface Kind {
  group: string;
  version: string;
  kind: string;
}
interface Schema {
  [key: string]: unknown;
  properties?: Record<string, unknown>;
  'x-kubernetes-group-version-kind'?: Kind[];
}
interface Crd {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Required<Pick<Schema, 'properties'>> } }[];
  };
}

/** With no other fields than those that it names. */
function closed(schema: unknown): unknown {
  if (schema === null || typeof schema !== 'object') return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner: Schema = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  );
  if (inner['x-kubernetes-int-or-string'] === true || inner.format === 'int-or-string')
    return { type: ['integer', 'string'] };
  const isOpen = inner.properties === undefined || inner['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen || inner.additionalProperties !== undefined
    ? inner
    : { ...inner, additionalProperties: false };
}

/** `VERSION KIND` -> schema. */
function schemas(): Map<string, object> {
  const swagger = JSON.parse(readFileSync(KUBERNETES_SWAGGER, 'utf8')) as { definitions: unknown };
  const definitions = closed(swagger.definitions) as Record<string, Schema>;
  const found = new Map<string, object>();
  for (const [name, definition] of Object.entries(definitions))
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const schema = { $ref: `#/definitions/${name}`, definitions };
      found.set(`${group === '' ? '' : `${group}/`}${version} ${kind}`, schema);
    }
  for (const name of ['rayclusters', 'rayjobs']) {
    const { spec } = parse(readFileSync(join(KUBERAY_CRDS, `ray.io_${name}.yaml`), 'utf8')) as Crd;
    const schema = spec.versions.find(({ name }) => name === 'v1')!.schema.openAPIV3Schema;
    // The server knows metadata itself.
    schema.properties.metadata = {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' } },
    };
    found.set(`${spec.group}/v1 ${spec.names.kind}`, closed(schema) as object);
  }
  return found;
}

describe.skipIf(!hasSchemas)('manifests are valid:', { timeout: 0 }, () => {
  const known = hasSchemas ? schemas() : new Map<string, object>();
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

  async function problems(project: ReturnType<typeof clusterProject>): Promise<[string[], unknown[]]> {
    const words = [
      '--render',
      'kubernetes',
      '--image',
      'registry.example.org/swemake:1',
      '--claim',
      'shared=/mnt',
    ];
    const { stdout } = await command(project, 'nodes', 'p.yaml', ...words);
    const manifests = parseAllDocuments(stdout).map((document) => document.toJS());
    const wrong = manifests.flatMap((manifest) => {
      const validate = ajv.compile(known.get(`${manifest.apiVersion} ${manifest.kind}`)!);
      return validate(manifest) ? [] : [[manifest.kind, manifest.metadata.name, validate.errors]];
    });
    return [[...new Set<string>(manifests.map(({ kind }) => kind))].sort(), wrong];
  }

  test('a Ray cluster, its job, and a server beside it', async () => {
    expect(await problems(clusterProject())).toEqual([
      ['Deployment', 'RayCluster', 'RayJob', 'Service', 'StatefulSet'],
      [],
    ]);
  });

  test('servers, a pool and a router before them, and a job', async () => {
    expect(await problems(serverProject())).toEqual([['Deployment', 'Job', 'Service', 'StatefulSet'], []]);
  });

  test('a field that Kubernetes does not know is found', () => {
    const validate = ajv.compile(known.get('v1 Service')!);
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'a' },
      spec: { ports: [{ port: 1 }] },
    };
    expect(validate(service)).toBe(true);
    expect(validate({ ...service, spec: { ...service.spec, portz: 1 } })).toBe(false);
  });
});
