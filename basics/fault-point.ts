/**
 * Places at which a test may end the process or fill the disk: one before and after every step that makes
 * something durable. `SWEMAKE_FAULT=NAME` or `NAME:N` acts at the Nth passing of NAME, by SIGKILL or, with
 * `SWEMAKE_FAULT_ERROR=ENOSPC`, by throwing that error. Without the variable a point is one comparison.
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
export type FaultPoint = (typeof FAULT_POINTS)[number];

interface Armed {
  point: string;
  passings: number;
  /** Code of the error to throw; null kills the process. */
  error: string | null;
}

/** undefined: the environment was not asked yet. */
let armed: Armed | null | undefined;

/** Acts when the environment says so, else does nothing. */
export function faultPoint(point: FaultPoint): void {
  if (armed === null) return;
  armed ??= readArmed(process.env);
  if (armed === null || armed.point !== point) return;
  armed.passings -= 1;
  if (armed.passings === 0) act(point, armed.error);
}

function readArmed(env: NodeJS.ProcessEnv): Armed | null {
  if (env.SWEMAKE_FAULT === undefined) return null;
  const [point = '', passings = '1'] = env.SWEMAKE_FAULT.split(':');
  return { point, passings: Number(passings), error: env.SWEMAKE_FAULT_ERROR ?? null };
}

function act(point: FaultPoint, code: string | null): void {
  if (code === null) process.kill(process.pid, 'SIGKILL');
  throw Object.assign(new Error(`${code}: asked for at ${point}`), { code });
}
