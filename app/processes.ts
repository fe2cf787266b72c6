/** The host's programs for stages; the code that runs them is loaded with the first one. */
import type { Cache } from '../cache/cache.ts';
import type { CommandRequest, ExecutorKind } from '../executors/kind.ts';
import type { ProcessRunner } from '../executors/process-runner.ts';
import { stateFolder } from './deployments.ts';

export function createProcesses(
  kinds: readonly ExecutorKind[],
  cache: Cache,
  request: Omit<CommandRequest, 'stateFolder'>,
): ProcessRunner {
  const kind = kinds.find(({ opens }) => opens === 'commands');
  if (kind?.opens !== 'commands') throw new Error('no kind of executor runs programs of the host');
  let opened: Promise<ProcessRunner> | null = null;
  const open = (): Promise<ProcessRunner> => {
    opened ??= kind.open({ ...request, stateFolder: stateFolder(cache, kind) });
    return opened;
  };
  return {
    run: async (request) => (await open()).run(request),
    startServer: async (request) => (await open()).startServer(request),
    close: async () => (await opened)?.close(),
  };
}
