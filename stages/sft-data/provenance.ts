/** What the project says of how its data came to be, for the card; addresses, paths and secrets are no part of it. */
import type { Json } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { PlanReader } from '../../contract/reader.ts';
import { isHubId } from '../../schemas/dataset-source.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import { SAMPLING } from '../rollouts/sampling.ts';

/** Which dataset of the hub a dataset is; null for a file, whose place says nothing to others. */
export const HUB_SOURCE: QuestionKind<string, { source: string; revision: string | null } | null> = {
  name: 'hub source',
  changes: false,
  answer: async (dataset, { config }) => {
    const { source, revision } = config.dataset[dataset]!;
    return success(isHubId(source) ? { source, revision: revision ?? null } : null);
  },
};

export async function readProvenance(reader: PlanReader): Promise<Record<string, Json>> {
  const { type, dialect, actions, rollouts, seed, limits, model } = (await reader.config('agent'))!;
  const { golden, balance } = (await reader.config('trainer', 'sft'))!;
  return {
    dataset: await datasetOf(reader),
    agent: written({ type, dialect, actions, rollouts, seed, limits }),
    ...(model === undefined ? {} : { model: written({ identity: model.identity, ...sampling(model) }) }),
    grading: { preset: await reader.config('grading', 'preset') },
    golden: written({ ...golden }),
    balance: written({ ...balance }),
  };
}

async function datasetOf(reader: PlanReader): Promise<Json> {
  const { split, format, select } = (await reader.config('dataset', reader.dataset))!;
  const hub = await reader.ask(HUB_SOURCE, reader.dataset);
  return written({ name: reader.dataset, ...(hub.ok ? hub.value : {}), split, format, select });
}

function sampling(model: ModelConfig): Record<string, unknown> {
  return Object.fromEntries(SAMPLING.map((key) => [key, model[key]]));
}

/** Without keys that the project does not have. */
function written(values: Record<string, unknown>): Json {
  const set = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && !isEmpty(value),
  );
  return Object.fromEntries(set) as Json;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
