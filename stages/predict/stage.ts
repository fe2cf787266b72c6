/**
 * predict: runs the models of an evaluation on its dataset, or reads patches from elsewhere. Every instance counts,
 * whether or not it passed validation: the denominator of a benchmark is not ours to choose.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ResolvedConfig } from '../../contract/config.ts';
import { defineStage } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { AGENT_SERVICES, inside } from '../../contract/machine.ts';
import type { PlanReader } from '../../contract/reader.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Tools } from '../../contract/tools.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { agentsInput } from '../agents/programs.ts';
import { rlTrainAddress } from '../rl-data/datasets.ts';
import { evaluationDatasets } from '../rollouts/datasets.ts';
import { describeTask } from '../rollouts/describe.ts';
import { readPredictions } from '../rollouts/predictions.ts';
import { PATCHES } from '../rollouts/resolve-solver.ts';
import {
  type PlannedSolver,
  planSamples,
  readSolver,
  runSample,
  SAMPLE_ASKS,
  type SampleItem,
  sampleInputs,
  solversFault,
} from '../rollouts/samples.ts';
import { readEvaluatedNames } from '../rollouts/solver.ts';
import type { RolloutSummary } from '../rollouts/summary.ts';
import { sftTrainAddress } from '../sft-train/datasets.ts';

/** Someone else's patch of one instance. */
interface ForeignItem {
  instance: string;
  sample: string;
  files: string[];
  digests: string[];
}

/** What makes the samples of one name. */
type Evaluated =
  | { kind: 'agent'; name: string; solver: PlannedSolver }
  | { kind: 'patches'; name: string; files: string[]; digests: string[] };

type PredictInputs =
  | Awaited<ReturnType<typeof sampleInputs>>
  | {
      patches: Input<string[]>;
      instance: Input<string>;
      sample: Input<string>;
      foreign: Input<ForeignItem>;
    };

export const predictStage = defineStage({
  name: 'predict',
  version: 14,
  uses: AGENT_SERVICES,
  exports: false,
  asks: [...SAMPLE_ASKS, PATCHES],
  pipelined: ['environment'],
  itemsOf: 'sample',

  nodes: (config) =>
    evaluationDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        environment: `environments.${dataset}`,
        ...agentsInput(dataset, config),
        ...checkpoints(config),
      },
    })),

  async plan(reader, machine) {
    const overrides = await reader.config('evaluation', 'agent');
    const seed = overrides?.seed ?? (await reader.config('agent', 'seed')) ?? 0;
    const all: Evaluated[] = [];
    for (const { name, files, from } of await readEvaluatedNames(reader)) {
      if (files === null) {
        const checkpoint = from === null ? success(null) : checkpointOf(reader, from);
        if (!checkpoint.ok) return checkpoint;
        const made = checkpoint.value === null ? {} : { checkpoint: checkpoint.value };
        const solver = await readSolver(reader, { of: 'predict', who: name, ...made }, seed);
        if (!solver.ok) return solver;
        all.push({ kind: 'agent', name, solver: solver.value });
      } else {
        const digests = await reader.ask(PATCHES, files);
        if (!digests.ok) return digests;
        all.push({ kind: 'patches', name, files, digests: digests.value });
      }
    }
    const solvers = all.flatMap((one) => (one.kind === 'agent' ? [one.solver] : []));
    const wrong = await solversFault(solvers, machine);
    if (wrong !== null) return fault(wrong);
    return planSamples<SampleItem | ForeignItem>(reader, machine, {
      wanted: () => true,
      itemsOf: (row, work) =>
        all.map((one) => {
          const sample = one.name;
          if (one.kind === 'agent') {
            const data = { row, sample, solver: one.solver, work, isValidated: false };
            return { sample, data, program: one.solver.program, needsWorkspace: true };
          }
          const { files, digests } = one;
          const data = { instance: row.id, sample, files, digests };
          return { sample, data, program: null, needsWorkspace: false };
        }),
    });
  },

  async inputs(item, data, machine): Promise<Result<PredictInputs, Infra>> {
    if ('row' in data) return success(await sampleInputs(item, data, machine));
    return success({
      patches: item.value(data.digests),
      instance: item.value(data.instance),
      sample: item.value(data.sample),
      foreign: item.unkeyed(data),
    });
  },

  run: (inputs, tools) => ('patches' in inputs ? takeIn(inputs.foreign, tools) : runSample(inputs, tools)),
  describe: (node, change, machine) =>
    describeTask(node, change, 'predict', inside(machine, ...AGENT_SERVICES)),
});

/** The nodes whose checkpoints are evaluated. */
function checkpoints(config: ResolvedConfig): Record<string, string> {
  const asked = new Set(Object.values(config.evaluation?.models ?? {}).map(({ from }) => from));
  const made = { sft: sftTrainAddress(config), rl: rlTrainAddress(config) };
  const found = Object.entries(made).filter(
    ([from, address]) => asked.has(from as 'sft') && address !== null,
  );
  return Object.fromEntries(found) as Record<string, string>;
}

function checkpointOf(reader: PlanReader, from: 'sft' | 'rl'): Result<string, Infra> {
  const trained = reader.hasInput(from) ? reader.single(from) : null;
  if (trained?.ok === false) return trained;
  const digest = trained?.value.outputs.checkpoint?.digest;
  return digest === undefined
    ? fault(infra('upstream-infra', `trainer.${from} made no checkpoint`))
    : success(digest);
}

/** A foreign patch as a sample without a trajectory; an instance without one has the empty patch. */
async function takeIn(
  { instance, sample, files, digests }: ForeignItem,
  tools: Tools,
): Promise<ActionResult> {
  const patches = await readPredictions(files, tools.machine, digests);
  if (!patches.ok) return { outcome: infra('tool-missing', patches.fault), outputs: {} };
  const summary: RolloutSummary = {
    instance_id: instance,
    sample,
    exit_status: null,
    steps: 0,
    calls: 0,
    actions: 0,
    prompt_tokens: null,
    completion_tokens: null,
    cost: null,
    model: null,
    final_step_reward: null,
  };
  const outputs = {
    patch: tools.store(patches.value.get(instance) ?? ''),
    summary: tools.store(canonicalJson(summary)),
  };
  return { outcome: { status: 'ok' }, outputs };
}
