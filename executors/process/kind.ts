/** Programs of the host as they are: trainers, harnesses, servers of models. */
import type { CommandKind } from '../kind.ts';

export const processKind: CommandKind = {
  opens: 'commands',
  name: 'process',
  summary: 'programs of the host as they are, with its GPUs, for trainers; no workspaces',
  keys: {
    resources: {
      title: 'ProcessResources',
      description: 'What the programs of this deployment share out among them.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        gpu: {
          description:
            'GPUs that programs get, each for itself alone. Those in CUDA_VISIBLE_DEVICES where it is set (indices, GPU or MIG ids), else 0 and up.',
          type: 'integer',
          minimum: 0,
          default: 0,
          examples: [8],
        },
      },
    },
    activate: {
      description:
        'Shell line that is run before each program, in the same shell, such as what activates a Python environment.',
      type: 'string',
      pattern: '\\S',
      'x-form': 'a command that is not empty',
      examples: ['source /opt/conda/bin/activate rl'],
    },
  },
  async open(request) {
    const { createProcessRunner } = await import('./runner.ts');
    return createProcessRunner(request);
  },
  async sweep(stateFolder) {
    const { sweepProcesses } = await import('./sweep.ts');
    return sweepProcesses(stateFolder);
  },
};
