/** The host's programs for stages; the code that runs them is loaded with the first one. */
import { join } from 'node:path';
import type { Cache } from '../cache/cache.ts';
import type { ProcessRunnerOptions } from '../executors/process/runner.ts';
import type { ProcessRunner } from '../executors/process-runner.ts';

/** Folder in which living processes are noted. */
export function processState(cache: Cache): string {
  return join(cache.folder.executors, 'process');
}

export function createProcesses(
  cache: Cache,
  options: Omit<ProcessRunnerOptions, 'stateFolder'>,
): ProcessRunner {
  let opened: Promise<ProcessRunner> | null = null;
  const open = (): Promise<ProcessRunner> => {
    opened ??= import('../executors/process/runner.ts').then(({ createProcessRunner }) =>
      createProcessRunner({ ...options, stateFolder: processState(cache) }),
    );
    return opened;
  };
  return {
    run: async (request) => (await open()).run(request),
    startServer: async (request) => (await open()).startServer(request),
    close: async () => (await opened)?.close(),
  };
}
