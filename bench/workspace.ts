/** Opening and closing a workspace, beside `docker run --rm --network none IMAGE true`. */

import { IMAGE } from './docker.ts';
import type { BenchResult } from './measure.ts';
import { openWorkspace, runContest } from './sandbox-bench.ts';

export function bench(print: (line: string) => void): Promise<BenchResult> {
  return runContest(
    {
      name: 'workspace',
      promise: 60,
      blocks: 4,
      ours: 75,
      peers: 8,
      pauseMs: 10,
      tail: 3,
      rate: 400,
      prepare: async (deployment, docker) => ({
        ours: async () => (await openWorkspace(deployment)).close(),
        peer: async () => {
          await docker.command('run', '--rm', '--network', 'none', IMAGE, 'true');
        },
      }),
    },
    print,
  );
}
