/**
 * validate: checks whether an instance is a sound task. In the untouched state at least one FAIL_TO_PASS test fails,
 * an empty patch scores 0, and with the gold patch all tests pass, several times. Every check has a fresh workspace,
 * and the verdict comes from the real grader.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { success } from '../../basics/result.ts';
import { validatedDatasets } from '../../contract/config.ts';
import { defineStage } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { Tools } from '../../contract/tools.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import { testTimeout } from '../../formats/test-timeout.ts';
import { evalScript } from '../../grading/logs/eval-script.ts';
import { findPreset, VALIDATION_PRESET } from '../../grading/rules/presets.ts';
import { prepareChecks, type SetupRequest } from '../../grading/run/setup.ts';
import { type ValidationRequest, validateTask } from '../../grading/validate.ts';
import { goldPatch } from '../../patches/apply.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { TestRecipe } from '../../schemas/recipe.ts';
import { HOST_PYTHON, mutantsBy } from '../../tasks/images/mutants-by.ts';
import { type CatalogueRow, readCatalogue } from '../dataset/blocks/catalogue.ts';
import { instanceInput, testsInput } from '../dataset/instance-input.ts';
import { ASSIGNMENT_ASKS, readAssignment } from '../environments/assignment.ts';
import { describeInstance } from './describe.ts';

interface InstanceItem {
  row: CatalogueRow;
  tests: TestRecipe;
  checks: Checks;
  work: Input<Work>;
}

/** How an instance is checked; `timeout`: seconds for one run of the tests. */
type Checks = ValidationRequest & { timeout: number; by?: string | null };

/** Where `shell` puts the script that runs the tests. */
const TESTS = '/tmp/run-tests';

export const validateStage = defineStage({
  name: 'validate',
  version: 45,
  uses: HOST_SERVICES,
  exports: false,
  mayBeGivenUp: true,
  asks: [...ASSIGNMENT_ASKS, WORK, HOST_PYTHON],
  tables: { rules: () => ({ ...findPreset(VALIDATION_PRESET)!.rules }) },
  pipelined: ['environment'],
  itemsOf: 'instance',

  nodes: (config) =>
    validatedDatasets(config).map((dataset) => ({
      dataset,
      inputs: { dataset: `dataset.${dataset}`, environment: `environments.${dataset}` },
    })),

  /** The rows of a dataset by blocks: what a block's items need of the dataset is named by its digest. */
  async plan(reader, machine) {
    const rows = reader.single('dataset');
    if (!rows.ok) return rows;
    const catalogue = await readCatalogue(rows.value, machine);
    const where = (await readWorkDeployments(reader)).validate;
    const assignment = await readAssignment(reader, catalogue, where.builtOn);
    if (!assignment.ok) return assignment;
    const { deployment } = where;
    const work = await readWork(reader, deployment, 'grade');
    if (!work.ok) return work;
    const { environments, assignmentOf } = assignment.value;
    const mutants = await reader.config('validation', 'mutants');
    const by = await mutantsBy(reader);
    if (!by.ok) return by;
    const checks: Checks = {
      gold_runs: await reader.config('validation', 'gold_runs'),
      timeout: testTimeout(
        await reader.config('validation', 'timeout'),
        await reader.config('dataset', reader.dataset, 'format'),
      ),
      rules: await reader.table('rules'),
      ...(mutants === 0 ? {} : { mutants, by: by.value }),
    };
    const itemOf = (row: CatalogueRow) => {
      const { environment, tests } = assignmentOf(row);
      const needs = { dataset: '', environment: environments[environment]!.name };
      const data: InstanceItem = { row, tests, checks, work: work.value };
      return { name: row.id, needs, resources: { sandbox: 1, cpu: 1 }, deployment, data };
    };
    const chunks = catalogue.blocks.map((block) => ({
      digest: catalogue.digestOf(block),
      size: block.rows,
      items: () => catalogue.rowsOf(block).map(itemOf),
    }));
    return success({ chunks });
  },

  inputs: async (item, { row, tests, checks, work }, machine) =>
    success({
      work,
      instance: instanceInput(item, row, machine),
      source: item.value(row.source),
      environment: item.need('environment'),
      tests: await testsInput(item, row, tests, machine),
      checks: item.value(checks),
    }),

  async open(given, tools, { isSolved }) {
    const setup = await prepared(given, tools);
    if (!setup.ok) return setup;
    const { openCheck } = await import('../../grading/run/check.ts');
    const opened = await openCheck(setup.value, isSolved ? goldPatch(setup.value.instance) : null);
    if (!opened.ok) return opened;
    const { workspace } = opened.value;
    const { evalCommands, testCommand } = setup.value;
    await workspace.write(TESTS, evalScript({ evalCommands, testCommand }));
    const state = isSolved ? 'solved by the gold patch' : 'as the agent meets it';
    return success({
      workspace,
      about: [`/testbed holds the task, ${state}, with its hidden tests.`, `bash ${TESTS} runs the tests.`],
    });
  },

  describe: (node, change, machine) => describeInstance(node, change, inside(machine, ...HOST_SERVICES)),

  async run(given, tools) {
    const setup = await prepared(given, tools);
    const ran = setup.ok ? await validateTask(setup.value, given.checks) : setup;
    if (!ran.ok) return { outcome: ran.fault, outputs: {} };
    const { outcome, tests, integrity } = ran.value;
    const store = (value: object) => tools.store(canonicalJson(value));
    return { outcome, outputs: { tests: store(tests), integrity: store(integrity) } };
  },
});

interface Given extends Pick<SetupRequest, 'work' | 'environment' | 'tests'> {
  instance(): Promise<Instance>;
  checks: Checks;
}

async function prepared({ checks: { timeout }, instance, ...given }: Given, tools: Tools) {
  return prepareChecks({ ...given, instance: await instance(), timeout, protect: [] }, tools);
}
