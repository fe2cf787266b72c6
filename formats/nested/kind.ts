/**
 * Rows of trainers, which carry the instance inside: SkyRL's Parquet has it as `instance`, the JSON lines of slime
 * and Miles as `metadata` or one level below, verl's as `extra_info`. Each row is unwrapped and then read in its own format.
 */
import { NO_INIT, type WrappedFormat } from '../kind.ts';
import { badRow, objectOf, type RawRow } from '../row.ts';
import { sweGymFormat } from '../swe-gym/kind.ts';

/** Places of the instance. The first place with an instance counts. */
const PLACES = [
  ['instance'],
  ['metadata', 'instance'],
  ['metadata', 'remote_env_info'],
  ['metadata'],
  ['extra_info', 'instance'],
  ['extra_info'],
] as const;

/** Columns that hold what the agent is asked, in the words of the trainers. */
const PROMPTS = ['problem_statement', 'prompt', 'text', 'input'];

export const nestedFormat: WrappedFormat = {
  rows: 'wrapped',
  name: 'nested',
  summary: "the instance is inside the column instance or metadata of a trainer's row (SkyRL, slime, Miles)",
  // Its rows may be those of SWE-Gym.
  testTimeout: sweGymFormat.testTimeout,
  namesPython: true,
  isOwnCode: false,
  docs: {
    patch: 'as the rows inside',
    code: 'as the rows inside',
    dependencies: '',
    environment: '',
  },
  init: NO_INIT,
  example: {
    row: { data_source: sweGymFormat.init.template!.source, instance: sweGymFormat.example.row },
    instance: sweGymFormat.example.instance,
    image: sweGymFormat.example.image,
  },
  fit: (row) => (instanceIn(row) === null ? null : 'possible'),
  unwrap({ line, row }) {
    const found = instanceIn(row);
    if (found === null)
      return badRow(
        line,
        row.instance_id,
        'instance',
        'the row has no object with an instance_id in instance, metadata or extra_info',
      );
    const own = found.problem_statement ?? objectOf(row.metadata)?.problem_statement ?? promptOf(row);
    const instance = own === undefined ? found : { ...found, problem_statement: own };
    return { row: { line, row: instance }, source: sourceName(row) };
  },
};

function instanceIn(row: RawRow): RawRow | null {
  for (const place of PLACES) {
    const found = place.reduce<RawRow | null>((at, name) => objectOf(at?.[name]), row);
    if (found !== null && found.instance_id !== undefined) return found;
  }
  return null;
}

function sourceName(row: RawRow): string {
  const metadata = objectOf(row.metadata) ?? {};
  const names = [row.data_source, metadata.data_source, metadata.subset, metadata.source_name];
  return names.filter((name) => typeof name === 'string').join(' ');
}

/** The first prompt column that is text, or that has exactly one message of a user. */
function promptOf(row: RawRow): string | undefined {
  for (const name of PROMPTS) {
    const value = row[name];
    if (typeof value === 'string' && value !== '') return value;
    if (!Array.isArray(value)) continue;
    const asked = value.map(objectOf).filter((message) => message?.role === 'user');
    if (asked.length === 1 && typeof asked[0]?.content === 'string') return asked[0].content;
  }
  return undefined;
}
