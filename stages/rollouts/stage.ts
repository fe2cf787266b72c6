/**
 * rollouts: an agent works on every instance that passed validation, several times each. A sample is keyed by the
 * task, the environment, the agent, the model and the seed alone. So more samples, other instances or another address
 * of the same model run nothing again.
 */

import { fault, success } from '../../basics/result.ts';
import { defineStage } from '../../contract/define.ts';
import { AGENT_SERVICES, inside } from '../../contract/machine.ts';
import { agentsInput } from '../agents/programs.ts';
import { rolloutDatasets } from './datasets.ts';
import { describeTask } from './describe.ts';
import {
  type PlannedSolver,
  planSamples,
  readSolver,
  runSample,
  SAMPLE_ASKS,
  type SampleItem,
  sampleInputs,
  solversFault,
} from './samples.ts';

export const rolloutsStage = defineStage({
  name: 'rollouts',
  version: 14,
  uses: AGENT_SERVICES,
  exports: false,
  asks: SAMPLE_ASKS,
  pipelined: ['environment'],
  itemsOf: 'sample',

  nodes: (config) =>
    rolloutDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        environment: `environments.${dataset}`,
        validate: `validate.${dataset}`,
        ...agentsInput(dataset, config),
      },
    })),

  async plan(reader, machine) {
    const rollouts = await reader.config('agent', 'rollouts');
    const seed = await reader.config('agent', 'seed');
    const baselines = await reader.config('agent', 'baselines');
    const samples = [
      ...Array.from({ length: rollouts }, (_, index) => ({ sample: `${index}`, who: 'agent' })),
      ...baselines.map((baseline) => ({ sample: baseline, who: baseline })),
    ];
    const solvers = new Map<string, PlannedSolver>();
    for (const who of new Set(samples.map((one) => one.who))) {
      const solver = await readSolver(reader, { of: 'rollouts', who }, seed);
      if (!solver.ok) return solver;
      solvers.set(who, solver.value);
    }
    const wrong = await solversFault([...solvers.values()], machine);
    if (wrong !== null) return fault(wrong);
    const validated = reader.input('validate');
    return planSamples<SampleItem>(reader, machine, {
      wanted: ({ id }) => validated.entry(id)?.outcome.status === 'ok',
      itemsOf: (row, work) =>
        samples.map(({ sample, who }) => {
          const solver = solvers.get(who)!;
          const data = { row, sample, solver, work, isValidated: true };
          return { sample, data, program: solver.program, needsWorkspace: true };
        }),
    });
  },

  inputs: async (item, data, machine) => success(await sampleInputs(item, data, machine)),
  run: (inputs, tools) => runSample(inputs, tools),
  describe: (node, change, machine) =>
    describeTask(node, change, 'rollouts', inside(machine, ...AGENT_SERVICES)),
});
