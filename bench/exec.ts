/** A command in an open workspace, beside `docker exec CONTAINER true`. */
import { IMAGE } from './docker.ts';
import type { BenchResult } from './measure.ts';
import { openWorkspace, runContest } from './sandbox-bench.ts';

export function bench(print: (line: string) => void): Promise<BenchResult> {
  return runContest(
    {
      name: 'exec',
      promise: 25,
      blocks: 4,
      ours: 150,
      peers: 15,
      pauseMs: 0,
      prepare: async (deployment, docker) => {
        const workspace = await openWorkspace(deployment);
        const container = (
          await docker.command('run', '-d', '--network', 'none', IMAGE, 'sleep', '3600')
        ).trim();
        return {
          ours: async () => {
            const result = await workspace.exec('true', { timeout: 60 });
            if (!result.ok || result.value.exitCode !== 0) throw new Error('the command failed');
          },
          peer: async () => {
            await docker.command('exec', container, 'true');
          },
        };
      },
    },
    print,
  );
}
