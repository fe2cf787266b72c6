/**
 * The parts of the project's schema about agents, composed of the keys of all registered types. The generator writes them into the schema.
 */
import { canonicalJson, type Json } from '../../basics/canonical.ts';
import { type AgentKind, namesIn } from './kind.ts';

type Properties = Record<string, Json>;

/** Keys that an evaluation cannot replace: they say what an agent works on, and each of its models stands apart. */
const NOT_REPLACED = ['dataset', 'model', 'rollouts', 'baselines', 'step_rewards'];

/** The properties of `agent`: `type`, those of `written` that all types have, and what each type has. */
export function agentProperties(
  kinds: readonly AgentKind[],
  every: readonly string[],
  written: Properties,
): Properties {
  const same = Object.fromEntries(every.map((key) => [key, written[key]!]));
  const baselines = written.baselines as { items: Properties };
  const names = kinds.flatMap(({ name, baseline }) => (baseline === undefined ? [] : [name]));
  return {
    ...same,
    type: {
      description: kinds.map(({ name, summary }) => `${name}: ${summary}.`).join(' '),
      type: 'string',
      enum: kinds.map(({ name }) => name),
      'x-noun': 'agent type',
      default: kinds[0]!.name,
      examples: [kinds[1]!.name],
    },
    baselines: { ...baselines, items: { ...baselines.items, enum: names }, examples: [names] },
    ...slicesOf(kinds),
  };
}

/** Each key once, with the types that have it. */
function slicesOf(kinds: readonly AgentKind[]): Properties {
  const all: Record<string, { schema: Json; having: AgentKind[] }> = {};
  for (const kind of kinds)
    for (const [key, schema] of Object.entries(kind.keys)) {
      const known = all[key];
      if (known !== undefined && canonicalJson(known.schema) !== canonicalJson(schema))
        throw new Error(`${kind.name} has another schema for "${key}" than a type before it`);
      all[key] = { schema, having: [...(known?.having ?? []), kind] };
    }
  return Object.fromEntries(
    Object.entries(all).map(([key, { schema, having }]) => [key, withTypes(schema, namesIn(having))]),
  );
}

function withTypes(schema: Json, names: readonly string[]): Json {
  const { description, ...rest } = schema as { description?: string };
  if (description === undefined) return schema;
  return { description: `${description} For ${names.join(' and ')}.`, ...rest };
}

/** A sentence about the value of an absent key. */
const ABSENCE = / (?:Absent: |An absent ).*?\.(?= [A-Z]|$)/g;

/** The properties of `evaluation.agent`: the same keys without defaults, since an absent one has the agent's value. */
export function overrideProperties(
  agent: Properties,
  definitions: Readonly<Record<string, Json>>,
): Properties {
  const own = Object.entries(agent).filter(([key]) => !NOT_REPLACED.includes(key));
  return Object.fromEntries(own.map(([key, schema]) => [key, withoutDefaults(schema, definitions)]));
}

function withoutDefaults(schema: Json, definitions: Readonly<Record<string, Json>>): Json {
  const { $ref, ...rest } = schema as { $ref?: string };
  if ($ref !== undefined) return withoutDefaults(definitions[$ref.split('/').at(-1)!]!, definitions);
  const {
    default: _,
    title: _title,
    'x-always': _always,
    description,
    properties,
    ...kept
  } = rest as Properties;
  const inside = Object.entries((properties ?? {}) as Record<string, { examples: Json[] }>).map(
    ([key, one]) => [key, withoutDefaults(one, definitions)] as const,
  );
  const [first] = inside as unknown as [string, { examples: Json[] }][];
  // An object with required keys takes the place of the agent's whole, and so does one that says so.
  const isWhole = first === undefined || kept.required !== undefined || kept['x-whole'] === true;
  return {
    description: (description as string).replace(ABSENCE, ''),
    ...kept,
    ...(isWhole
      ? { ...(properties === undefined ? {} : { properties }) }
      : { properties: Object.fromEntries(inside), examples: [{ [first[0]]: first[1].examples[0]! }] }),
  };
}
