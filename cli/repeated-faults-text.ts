/** The warning about faults that came again in every build, and what would end them. */
import { MANY, type RepeatedFault } from '../app/repeated-faults.ts';
import { visible } from '../app/shown.ts';
import { formatCount } from '../basics/plural.ts';
import type { InfraReason } from '../schemas/outcome.ts';

/** Addresses that are named in a command. */
const NAMED = 3;

const REMEDIES: Readonly<Partial<Record<InfraReason, string>>> = {
  uncounted: 'let it run where lacks are counted, such as a sandbox with control groups',
  'disk-full': 'free space on the disk that the message names, or raise its quota',
  'out-of-memory':
    'let fewer items run at once (-j), or set limits.memory of the deployment below what there is',
  killed: 'let fewer items run at once (-j), or set limits.memory of the deployment below what there is',
  'no-processes': 'let fewer items run at once (-j), or raise the limit of processes above swemake',
  paused: 'let it run on a machine that is not paused, or raise the time limit',
  network: 'see whether this machine reaches the host that the message names',
  'package-index': 'see whether this machine reaches the package index',
  'source-fetch': 'see whether the source still exists, and whether this machine reaches it',
  'lock-drift': 'lock again: swemake lock',
  endpoint: 'see whether the endpoint answers',
};

/** A warning with the commands that belong to it, for each of them. `mayBeGivenUp`: whether `accept --as failed` takes it. */
export function repeatedFaultText(
  { stage, items, reason, detail }: RepeatedFault,
  mayBeGivenUp: boolean,
): string {
  const what = items.length === 1 ? items[0]! : `${formatCount(items.length)} items of ${stage}`;
  const remedy = REMEDIES[reason] ?? 'do what the message says';
  const [line = ''] = visible(detail).split('\n');
  const shown = line.length > 160 ? `${line.slice(0, 157)}...` : line;
  const text = `${what} ended with ${reason} in ${MANY} builds in a row or more, and will again: ${shown}. To end it, ${remedy}`;
  if (!mayBeGivenUp) return `${text}\nswemake logs '${items[0]}'`;
  const named = items.slice(0, NAMED).map((item) => `'${item}'`);
  return `${text}, or count it as failed:\nswemake accept --as failed ${named.join(' ')}${items.length > NAMED ? ' …' : ''}`;
}
