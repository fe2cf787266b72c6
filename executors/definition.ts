/**
 * The part of the project's schema about deployments, composed of the keys of all kinds of executors. The generator
 * writes it into the schema. Its `x-kinds` holds what the compiler knows about each kind.
 */
import { asJson, canonicalJson, type Json } from '../basics/canonical.ts';
import { ISOLATIONS, type Isolation, NETWORKS, type Network } from './deployment.ts';
import { type DeploymentKind, deploymentKinds, type ExecutorKind, keysOf, possibleOutcomes } from './kind.ts';

/** Facts about a kind for the compiler. For a choice of kinds, those of the best one. */
export interface KindFacts {
  /** What a deployment of this kind runs: workspaces of tasks, or programs of the host such as trainers. */
  runs: 'workspaces' | 'programs';
  isolation: Isolation;
  networks: Network[];
  /** It cannot show the system of the machine itself. */
  needsBase: boolean;
  /** Its workspaces reach sockets of swemake's machine. */
  reaches: boolean;
  /** Keys of a deployment that have an effect. */
  keys: string[];
  /** Its workspaces are those of other kinds. */
  isChoice: boolean;
  /** It runs items on other machines, and answers come through the remote cache. */
  isAway: boolean;
}

/** The definition of one deployment. The kind that is registered first is the default. */
export function deploymentDefinition(registered: readonly ExecutorKind[]): Json {
  const kinds = [...deploymentKinds(registered).values()];
  const names = kinds.map(({ name }) => name);
  const facts = Object.fromEntries(kinds.map((kind) => [kind.name, factsOf(kind)]));
  return {
    title: 'DeploymentConfig',
    description: 'A place where workspaces are opened, or where programs of the host run.',
    type: 'object',
    additionalProperties: false,
    properties: {
      type: {
        description: kinds.map(({ name, summary }) => `${name}: ${summary}.`).join(' '),
        type: 'string',
        enum: names,
        'x-noun': 'deployment type',
        'x-kinds': asJson(facts),
        default: names[0]!,
        examples: [kinds.find(({ opens }) => opens === 'workspaces')!.name],
      },
      ...keysOfAll(kinds),
    },
  };
}

function factsOf(kind: DeploymentKind): KindFacts {
  const outcomes = possibleOutcomes(kind);
  return {
    runs: kind.opens === 'commands' ? 'programs' : 'workspaces',
    // A program of the host is not isolated.
    isolation:
      ISOLATIONS.findLast((level) => outcomes.some(({ isolation }) => isolation === level)) ?? ISOLATIONS[0],
    networks: NETWORKS.filter((network) => outcomes.some(({ networks }) => networks.includes(network))),
    needsBase: outcomes.every(({ needsBase }) => needsBase === true) && outcomes.length > 0,
    // Items of a cluster run beside sockets of another process.
    reaches: outcomes.every(({ reaches }) => reaches) && outcomes.length > 0 && kind.opens !== 'jobs',
    keys: Object.keys(keysOf(kind)),
    isChoice: kind.opens === 'choice' || kind.opens === 'jobs',
    isAway: kind.opens === 'jobs',
  };
}

function keysOfAll(kinds: readonly DeploymentKind[]): Record<string, Json> {
  const all: Record<string, Json> = {};
  for (const kind of kinds)
    for (const [key, schema] of Object.entries(keysOf(kind))) {
      if (Object.hasOwn(all, key) && canonicalJson(all[key]!) !== canonicalJson(schema))
        throw new Error(`${kind.name} has another schema for "${key}" than a kind before it`);
      all[key] = schema;
    }
  return all;
}
