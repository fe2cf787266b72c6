/**
 * filter: the passed set, and for all other instances a report that shows what to fix. It reads the answers of all
 * instances, faults included, and is keyed by them.
 */

import { mapLimit } from '../../basics/map-limit.ts';
import { success } from '../../basics/result.ts';
import { readText } from '../../cache/cache.ts';
import { storePieces } from '../../cache/pieces.ts';
import { validatedDatasets } from '../../contract/config.ts';
import { defineStage, singleItem } from '../../contract/define.ts';
import { inside, type Machine } from '../../contract/machine.ts';
import type { Collection } from '../../contract/stage.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import { infra } from '../../schemas/outcome.ts';
import { type Catalogue, readCatalogue } from '../dataset/blocks/catalogue.ts';
import { ASSIGNMENT_ASKS, type Assignment, readAssignment } from '../environments/assignment.ts';
import type { ReportGroup } from './causes.ts';
import { excerptOf } from './excerpt.ts';
import { failureReport, failuresJson } from './report.ts';
import { type Reduced, reduceSection, sectionsOf } from './section.ts';
import { exitStatusesYaml } from './statuses.ts';
import { byReason } from './weakness.ts';

const STATUSES = 'run_batch_exit_statuses.yaml';

export const filterStage = defineStage({
  name: 'filter',
  version: 14,
  isLight: true,
  uses: ['cache'],
  exports: true,
  besideTraining: 'report',
  asks: ASSIGNMENT_ASKS,

  nodes: (config) =>
    validatedDatasets(config).map((dataset) => ({
      dataset,
      inputs: {
        dataset: `dataset.${dataset}`,
        environment: `environments.${dataset}`,
        validate: `validate.${dataset}`,
      },
    })),

  async plan(reader, machine) {
    const rows = reader.single('dataset');
    if (!rows.ok) return rows;
    const { builtOn } = (await readWorkDeployments(reader)).validate;
    const assignment = await readAssignment(reader, await readCatalogue(rows.value, machine), builtOn);
    if (!assignment.ok) return assignment;
    return success(singleItem({ dataset: '' }, { name: reader.dataset, assignment: assignment.value }));
  },

  inputs: (item, { name, assignment }) =>
    success({
      dataset: item.need('dataset'),
      verdicts: item.collection('validate'),
      environments: item.collection('environment'),
      // The verdicts say which instance uses which environment; the report is grouped by it.
      assignment: item.unkeyed(assignment),
      name: item.unkeyed(name),
    }),

  async run({ dataset, verdicts, environments, assignment, name }, { machine, store }) {
    const catalogue = await readCatalogue(dataset, machine);
    const sections = sectionsOf(catalogue, verdicts);
    if (sections === null)
      return { outcome: infra('upstream-infra', `${verdicts.address} is not finished`), outputs: {} };
    const reduced: Reduced[] = [];
    for (const section of sections) reduced.push(await reduceSection(section, catalogue, machine));
    const statuses = await exitStatusesYaml(reduced.map((one) => one.statuses));
    const groups = await reportGroups(reduced, catalogue, assignment, environments, machine);
    const weaknesses = byReason(reduced.flatMap((one) => one.weaknesses));
    return {
      outcome: { status: 'ok' },
      outputs: {
        'passed.jsonl': storePieces(
          inside(machine, 'cache').cache.blobs,
          reduced.flatMap(({ passed }) => passed ?? []),
        ),
        [STATUSES]: store(statuses),
      },
      // It quotes logs, which hold times. So it is a note and in no key.
      notes: {
        'failures.md': store(failureReport(name, groups, weaknesses)),
        'failures.json': store(failuresJson(name, groups, weaknesses)),
      },
    };
  },

  /** Verdicts by instance, as the stage wrote them then and now. */
  async describe(_node, { role, recordBefore, recordNow }, machine) {
    if (role !== 'verdicts' || recordNow === null) return null;
    const { cache } = inside(machine, 'cache');
    const [before, now] = [recordBefore, recordNow].map((record) => record.outputs[STATUSES]);
    const texts = [await readText(cache, before), await readText(cache, now)] as const;
    return texts[0] === null || texts[1] === null ? null : { before: texts[0], now: texts[1] };
  },
});

async function reportGroups(
  sections: readonly Reduced[],
  catalogue: Catalogue,
  { environments, assignmentOf }: Assignment,
  built: Collection,
  machine: Machine,
): Promise<ReportGroup[]> {
  const groups = await mapLimit(environments, 8, async ({ name, instances }): Promise<ReportGroup> => {
    const { outcome } = built.entry(name)!;
    const log = outcome.status === 'ok' ? undefined : built.record(name)?.notes.log;
    const excerpt = excerptOf(await readText(inside(machine, 'cache').cache, log), outcome);
    return { environment: name, outcome, ...excerpt, total: instances, items: [] };
  });
  const index = new Map(catalogue.groups.map(({ name }, at) => [name, at]));
  for (const { group, ...failure } of sections.flatMap(({ failures }) => failures)) {
    const assigned = assignmentOf({ id: failure.instance, group: index.get(group)! });
    groups[assigned.environment]!.items.push(failure);
  }
  return groups;
}
