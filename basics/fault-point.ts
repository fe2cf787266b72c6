/**
 * Places at which a test may end the process or fill the disk: one before and after every step that makes
 * something durable. `SWEMAKE_FAULT=NAME` or `NAME:N` acts at the Nth passing of NAME, by SIGKILL or, with
 * `SWEMAKE_FAULT_ERROR=ENOSPC`, by throwing that error, or with `SWEMAKE_FAULT_SIGNAL=SIGSTOP` by another signal, after
 * which it goes on. Without the variable a point is one comparison.
 */

export const FAULT_POINTS = [
  'blob-opened',
  'blob-written',
  'blob-synced',
  'blob-renamed',
  'pool-moved',
  'pool-synced',
  'pool-renamed',
  'manifest-written',
  'manifest-renamed',
  'tree-linked',
  'tree-renamed',
  'state-made',
  'state-renamed',
  'record-before',
  'record-after',
  'stage-before',
  'stage-after',
  'journal-before',
  'journal-after',
  'lock-taken',
  'lock-before-release',
  'export-written',
  'export-renamed',
] as const;
export type FaultPoint = (typeof FAULT_POINTS)[number] | (typeof OTHER_POINTS)[number];

interface Armed {
  point: string;
  passings: number;
  /** Code of the error to throw; null kills the process. */
  error: string | null;
  signal: NodeJS.Signals;
}

/** Points that not every build passes: those of gc, and of asking again. */
const OTHER_POINTS = ['gc-planned', 'gc-file-moved', 'gc-layer-moved', 'absence-asked'] as const;

/** undefined: the environment was not asked yet. */
let armed: Armed | null | undefined;

/** Acts when the environment says so, else does nothing. */
export function faultPoint(point: FaultPoint): void {
  if (armed === null) return;
  armed ??= readArmed(process.env);
  if (armed === null || armed.point !== point) return;
  armed.passings -= 1;
  if (armed.passings === 0) act(point, armed);
}

function readArmed(env: NodeJS.ProcessEnv): Armed | null {
  if (env.SWEMAKE_FAULT === undefined) return null;
  const [point = '', passings = '1'] = env.SWEMAKE_FAULT.split(':');
  return {
    point,
    passings: Number(passings),
    error: env.SWEMAKE_FAULT_ERROR ?? null,
    signal: (env.SWEMAKE_FAULT_SIGNAL ?? 'SIGKILL') as NodeJS.Signals,
  };
}

function act(point: FaultPoint, { error, signal }: Armed): void {
  if (error !== null) throw Object.assign(new Error(`${error}: asked for at ${point}`), { code: error });
  process.kill(process.pid, signal);
}
