/** Programs of the host as they are: harnesses, servers of models. */
import type { CommandKind } from '../kind.ts';

export const processKind: CommandKind = {
  opens: 'commands',
  name: 'process',
  async open(request) {
    const { createProcessRunner } = await import('./runner.ts');
    return createProcessRunner(request);
  },
  async sweep(stateFolder) {
    const { sweepProcesses } = await import('./sweep.ts');
    return sweepProcesses(stateFolder);
  },
};
