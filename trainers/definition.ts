/**
 * The parts of the project's schema about trainers, composed of the keys of all registered frameworks. The generator writes them into
 * the schema. The checks and the stages ask here which keys a trainer has.
 */
import { canonicalJson, type Json } from '../basics/canonical.ts';
import { EVERY, type Slice } from './keys.ts';
import { RL_EVERY } from './rl-keys.ts';
import { SFT_EVERY } from './sft-keys.ts';
import type { TrainerKind } from './trainer.ts';

export type Which = 'sft' | 'rl';

/** What messages and the schema say of each. */
const NAMES: Record<Which, { noun: string; example: string; every: Slice }> = {
  sft: { noun: 'SFT trainer', example: 'torchtune', every: { ...SFT_EVERY, ...EVERY } },
  rl: { noun: 'RL trainer', example: 'slime', every: { ...RL_EVERY, ...EVERY } },
};

/** The kinds that train on conversations, or on tasks. */
export function trainersOf(which: Which, kinds: readonly TrainerKind[]): readonly TrainerKind[] {
  return kinds.filter((kind) => kind[which] !== undefined);
}

/** The names of the keys that a trainer has, in the order of the schema. */
export function keysOf(which: Which, kind: TrainerKind): readonly string[] {
  const rows = which === 'rl' && kind.rl?.rows === null ? ['rows'] : [];
  return ['type', ...rows, ...Object.keys({ ...NAMES[which].every, ...kind[which]?.keys })];
}

/** What the schema says of `trainer.sft` or `trainer.rl`: `type`, what all frameworks have, and what each has. */
export function trainerProperties(which: Which, registered: readonly TrainerKind[]): Record<string, Json> {
  const kinds = trainersOf(which, registered);
  const { noun, example, every } = NAMES[which];
  const type = {
    description: `Framework that trains. none: ${which === 'sft' ? 'the data is' : 'the rows are'} written and nothing is trained. command: your own command.`,
    type: 'string',
    enum: ['none', ...kinds.map(({ name }) => name)],
    'x-noun': noun,
    default: 'none',
    examples: [example],
  };
  const rows = which === 'rl' ? { rows: rowsKey(kinds) } : {};
  return { type, ...rows, ...every, ...slicesOf(which, kinds) };
}

/** Whose rows are written where no framework says it. */
function rowsKey(kinds: readonly TrainerKind[]): Json {
  return {
    description: 'Form of the rows with type none or command. Each framework has its own form.',
    type: 'string',
    enum: kinds.filter(({ rl }) => rl?.rows != null).map(({ name }) => name),
    'x-noun': 'form of rows',
    default: 'slime',
    examples: ['skyrl'],
  };
}

/** Each key once, with the frameworks that have it. */
function slicesOf(which: Which, kinds: readonly TrainerKind[]): Record<string, Json> {
  const all: Record<string, { schema: Json; titles: string[] }> = {};
  for (const kind of kinds)
    for (const [key, schema] of Object.entries(kind[which]!.keys)) {
      const known = all[key];
      if (known !== undefined && canonicalJson(known.schema) !== canonicalJson(schema))
        throw new Error(`${kind.name} has another schema for "${key}" than a trainer before it`);
      all[key] = { schema, titles: [...(known?.titles ?? []), kind.name] };
    }
  return Object.fromEntries(
    Object.entries(all).map(([key, { schema, titles }]) => [
      key,
      titles.length === kinds.length ? schema : withTypes(schema, titles),
    ]),
  );
}

function withTypes(schema: Json, names: readonly string[]): Json {
  const { description, ...rest } = schema as { description: string };
  return { description: `${description} For ${joined(names)}.`, ...rest };
}

/** `slime and miles`, or `skyrl, slime and miles`. */
export function joined(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  return [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(` ${word} `);
}
