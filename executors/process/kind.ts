/** Programs of the host as they are: trainers, harnesses, servers of models. */
import type { CommandKind } from '../kind.ts';

export const processKind: CommandKind = {
  opens: 'commands',
  name: 'process',
  summary: 'programs of the host as they are, with its GPUs, for trainers; no workspaces',
  keys: {
    resources: {
      title: 'ProcessResources',
      description: 'What the programs of this deployment share.',
      type: 'object',
      additionalProperties: false,
      default: {},
      properties: {
        gpu: {
          description:
            'Number of GPUs. Each program gets GPUs for itself alone. They are those that CUDA_VISIBLE_DEVICES names (indices, GPU or MIG ids), or else 0 and up.',
          type: 'integer',
          minimum: 0,
          default: 0,
          examples: [8],
        },
        pids: {
          description:
            'Processes and threads that one program and all of its descendants may have at the same time. A program that reaches it is ended, and the fault says so. Absent: 1024 for each processor of the machine, and at least 4096. It is part of no key.',
          type: 'integer',
          minimum: 1,
          examples: [20000],
        },
      },
    },
    activate: {
      description:
        'Shell line that runs before each program, in the same shell, for example to activate a Python environment.',
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
