/**
 * discover: which tests show that a task is solved, for rows that do not say it. Their tests are run before and with the gold
 * patch, several times each; the stage `dataset` writes the lists into the rows.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { discoveredDatasets } from '../../contract/config.ts';
import { defineStage } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { HOST_SERVICES } from '../../contract/machine.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import { testTimeout } from '../../formats/test-timeout.ts';
import { isUnmeasured } from '../../formats/unmeasured.ts';
import { measureTests } from '../../grading/measure.ts';
import { prepareChecks } from '../../grading/run/setup.ts';
import type { TestRecipe } from '../../schemas/recipe.ts';
import { type CatalogueRow, readCatalogue, readRaw } from '../dataset/blocks/catalogue.ts';
import { instanceInput, testsInput } from '../dataset/instance-input.ts';
import { ASSIGNMENT_ASKS, readAssignment } from '../environments/assignment.ts';

interface DiscoverItem {
  row: CatalogueRow;
  tests: TestRecipe;
  runs: { gold_runs: number; timeout: number };
  work: Input<Work>;
}

export const discoverStage = defineStage({
  name: 'discover',
  version: 21,
  uses: HOST_SERVICES,
  exports: false,
  mayBeGivenUp: true,
  asks: [...ASSIGNMENT_ASKS, WORK],
  pipelined: ['environment'],
  itemsOf: 'instance',

  nodes: (config) =>
    discoveredDatasets(config).map((dataset) => ({
      dataset,
      inputs: { rows: `rows.${dataset}`, environment: `environments.${dataset}` },
    })),

  /** An item for each row without lists. */
  async plan(reader, machine) {
    const rows = reader.single('rows');
    if (!rows.ok) return rows;
    const catalogue = await readCatalogue(rows.value, machine);
    const { deployment, builtOn } = (await readWorkDeployments(reader)).validate;
    const assignment = await readAssignment(reader, catalogue, builtOn);
    if (!assignment.ok) return assignment;
    const work = await readWork(reader, deployment, 'grade');
    if (!work.ok) return work;
    const { environments, assignmentOf } = assignment.value;
    const runs = {
      gold_runs: await reader.config('validation', 'gold_runs'),
      timeout: testTimeout(
        await reader.config('validation', 'timeout'),
        await reader.config('dataset', reader.dataset, 'format'),
      ),
    };
    const itemOf = (row: CatalogueRow) => {
      const { environment, tests } = assignmentOf(row);
      const needs = { rows: '', environment: environments[environment]!.name };
      const data: DiscoverItem = { row, tests, runs, work: work.value };
      return { name: row.id, needs, resources: { sandbox: 1, cpu: 1 }, deployment, data };
    };
    const chunks = catalogue.blocks.map((block) => {
      const all = catalogue.rowsOf(block);
      const raw = [...readRaw(all, machine)].flat();
      const open = all.filter((_, index) => isUnmeasured(raw[index]!));
      return { digest: catalogue.digestOf(block), size: open.length, items: () => open.map(itemOf) };
    });
    return success({ chunks });
  },

  inputs: async (item, { row, tests, runs, work }, machine) =>
    success({
      work,
      instance: instanceInput(item, row, machine, 'rows'),
      source: item.value(row.source),
      environment: item.need('environment'),
      tests: await testsInput(item, row, tests, machine, 'rows'),
      runs: item.value(runs),
    }),

  async run({ work, instance, environment, tests, runs }, tools) {
    const { timeout, gold_runs: goldRuns } = runs;
    const request = { instance: await instance(), tests, work, timeout, protect: [], environment };
    const setup = await prepareChecks(request, tools);
    if (!setup.ok) return { outcome: setup.fault, outputs: {} };
    const measured = await measureTests(setup.value, goldRuns);
    if (!measured.ok) return { outcome: measured.fault, outputs: {} };
    const { outcome, lists } = measured.value;
    if (lists === null) return { outcome, outputs: {} };
    const { FAIL_TO_PASS, PASS_TO_PASS, unstable } = lists;
    tools.log(
      `== lists · ${FAIL_TO_PASS.length} FAIL_TO_PASS, ${PASS_TO_PASS.length} PASS_TO_PASS, ${unstable.length} flaky\n`,
    );
    return { outcome, outputs: { lists: tools.store(canonicalJson({ FAIL_TO_PASS, PASS_TO_PASS })) } };
  },
});
