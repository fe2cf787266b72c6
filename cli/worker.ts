/** `worker`: one job of a build that runs on a cluster. The cluster calls it, and no user. */
import { runJob, type WorkerJob } from '../app/dispatch/worker.ts';
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import type { Digest } from '../basics/digest.ts';
import { jsonObject } from '../basics/json.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';

export const WORKER = {
  name: 'worker',
  summary:
    'Run the items of one job of a build that uses a cluster, and write their answers to the remote cache. The cluster starts it on its machines.',
  positionals: [
    { name: 'JOB', description: 'the id of the job', required: true },
    { name: 'SHARD', description: 'what to run, DIGEST:SIZE in the remote cache', required: true },
  ],
  options: {
    remote: option('JSON', 'the remote cache, and which variables hold its secrets'),
  },
  examples: [
    [
      `swemake worker swemake-1-1-1 ${'a'.repeat(64)}:812 --remote '{"remote":{"path":"/mnt/cache"},"secrets":[]}'`,
      'what a build sends to a cluster',
    ],
  ],
} as const satisfies CommandSpec;

export async function workerCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(WORKER, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const [id, name] = parsed.positionals as [string, string];
  const shard = /^([0-9a-f]{64}):([0-9]{1,15})$/.exec(name);
  const place = placeOf(parsed.values.remote);
  if (shard === null || place === null) {
    const message =
      shard === null ? `"${name}" is not DIGEST:SIZE` : '--remote must be JSON that names a remote cache';
    return answerUsage({ kind: 'usage', message, remedy: 'a build writes this line itself' }, io);
  }
  const job: WorkerJob = { id, shard: { digest: shard[1] as Digest, size: Number(shard[2]) }, ...place };
  const problem = await runJob(job, io);
  if (problem === null) return 0;
  io.stderr.write(shown(`E003  ${problem}\n      the build that sent this job says more\n`));
  return 3;
}

function placeOf(text: string | undefined): Pick<WorkerJob, 'remote' | 'folder' | 'secrets'> | null {
  const { remote, folder = '/', secrets } = jsonObject<Partial<WorkerJob>>(text ?? '') ?? {};
  return typeof remote === 'object' && Array.isArray(secrets) ? { remote, folder, secrets } : null;
}
