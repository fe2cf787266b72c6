/**
 * validate: checks whether an instance is a sound task. In the untouched state at least one FAIL_TO_PASS test fails,
 * an empty patch scores 0, and with the gold patch all tests pass, several times. Every check has a fresh workspace,
 * and the verdict comes from the real grader.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { type Result, success } from '../../basics/result.ts';
import { validatedDatasets } from '../../contract/config.ts';
import { defineStage } from '../../contract/define.ts';
import type { Input } from '../../contract/input.ts';
import { HOST_SERVICES, inside } from '../../contract/machine.ts';
import type { ActionResult } from '../../contract/stage.ts';
import { readWork, WORK, type Work } from '../../contract/work.ts';
import { readWorkDeployments } from '../../contract/work-deployments.ts';
import { testTimeout } from '../../formats/test-timeout.ts';
import { evalScript } from '../../grading/logs/eval-script.ts';
import { withMissing } from '../../grading/logs/missing.ts';
import { baselineOf, type IntegrityBaseline, type RunEvidence } from '../../grading/rules/integrity.ts';
import { findPreset, VALIDATION_PRESET } from '../../grading/rules/presets.ts';
import { goldReads } from '../../grading/rules/reads.ts';
import type { GradingRules } from '../../grading/rules/rules.ts';
import {
  type ValidationVerdict,
  validationVerdict,
  verdictBeforeGold,
} from '../../grading/rules/validation.ts';
import { gradeRun } from '../../grading/rules/verdict.ts';
import { type CheckSetup, prepareChecks } from '../../grading/run/setup.ts';
import type { ChangedFile } from '../../grading/suspicion/suspicion.ts';
import { goldPatch } from '../../patches/apply.ts';
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import type { TestRecipe } from '../../schemas/recipe.ts';
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

/** How an instance is checked. */
interface Checks {
  gold_runs: number;
  /** Seconds for one run of the tests. */
  timeout: number;
  rules: GradingRules;
  /** How many mutants of the gold patch's code are kept; absent for none. */
  mutants?: number;
}

/** Where `shell` puts the script that runs the tests. */
const TESTS = '/tmp/run-tests';

export const validateStage = defineStage({
  name: 'validate',
  version: 13,
  uses: HOST_SERVICES,
  exports: false,
  mayBeGivenUp: true,
  asks: [...ASSIGNMENT_ASKS, WORK],
  tables: { rules: () => ({ ...findPreset(VALIDATION_PRESET)!.rules }) },
  pipelined: ['environment'],

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
    const checks: Checks = {
      gold_runs: await reader.config('validation', 'gold_runs'),
      timeout: testTimeout(
        await reader.config('validation', 'timeout'),
        await reader.config('dataset', reader.dataset, 'format'),
      ),
      rules: await reader.table('rules'),
      ...(mutants === 0 ? {} : { mutants }),
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

  async open({ work, instance, environment, tests, checks }, tools, { isSolved }) {
    const task = await instance();
    const request = { instance: task, tests, work, timeout: checks.timeout, protect: [], environment };
    const setup = await prepareChecks(request, tools);
    if (!setup.ok) return setup;
    const { openCheck } = await import('../../grading/run/check.ts');
    const opened = await openCheck(setup.value, isSolved ? goldPatch(task) : null);
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

  async run({ work, instance, environment, tests, checks }, tools) {
    const { timeout } = checks;
    const task = await instance();
    const setup = await prepareChecks(
      { instance: task, tests, work, timeout, protect: [], environment },
      tools,
    );
    if (!setup.ok) return resultOf(setup.fault, {});
    const ran = await runChecks(setup.value, checks);
    if (!ran.ok) return resultOf(ran.fault, {});
    const { outcome, tests: found, integrity } = ran.value;
    const store = (value: object) => tools.store(canonicalJson(value));
    return resultOf(outcome, { tests: store(found), integrity: store(integrity) });
  },
});

function resultOf(outcome: Outcome, outputs: ActionResult['outputs']): ActionResult {
  return { outcome, outputs };
}

type Checked = ValidationVerdict & { integrity: IntegrityBaseline };

/** The checks in order; the gold runs are left out when the untouched state decides. */
async function runChecks(
  setup: CheckSetup,
  { gold_runs: goldRuns, rules, mutants: wanted = 0 }: Checks,
): Promise<Result<Checked, Infra | Outcome>> {
  const { runCheck } = await import('../../grading/run/check.ts');
  const { instance } = setup;
  const lists = { failToPass: instance.FAIL_TO_PASS, passToPass: instance.PASS_TO_PASS };
  const before = await runCheck(setup, 'untouched', null);
  if (!before.ok) return before;
  const empty = await runCheck(setup, 'empty patch', null);
  if (!empty.ok) return empty;
  const untouched = [before.value.evidence, empty.value.evidence];
  const gold: RunEvidence[] = [];
  let typed: RunEvidence | null = null;
  const checked = (verdict: ValidationVerdict): Checked => {
    const listed = [...lists.failToPass, ...lists.passToPass];
    const { log } = gold.at(-1) ?? untouched[0]!;
    const outcome = withMissing(verdict.outcome, log);
    return { ...verdict, outcome, integrity: baselineOf(gold, untouched, listed, rules, typed) };
  };
  const checks = { lists, rules, before: untouched[0]!.run, empty: untouched[1]!.run };
  const early = verdictBeforeGold({ ...checks, gold: [] });
  if (early !== null) return success(checked(early));
  const changed: ChangedFile[] = [];
  const inspect =
    wanted === 0 ? {} : { inspect: (files: ChangedFile[]) => void changed.splice(0, Infinity, ...files) };
  const begun = performance.now();
  for (let repeat = 1; repeat <= goldRuns; repeat += 1) {
    const title = `gold patch, run ${repeat} of ${goldRuns}`;
    // What was read is watched from then on: what tests make anew is known, too.
    const protection = { ...setup.protection, data: goldReads(gold).data };
    const run = await runCheck({ ...setup, protection, record: ['reads'] }, title, {
      ...goldPatch(instance),
      ...inspect,
    });
    if (!run.ok) return run;
    gold.push(run.value.evidence);
  }
  const seconds = (performance.now() - begun) / 1000 / goldRuns;
  const verdict = validationVerdict({ ...checks, gold: gold.map(({ run }) => run) });
  if (verdict.outcome.status === 'ok') {
    // A run of its own: its modules of tests are not what the others load. Tests that do not bear it are not compared.
    const ran = await runCheck({ ...setup, record: ['operands'] }, 'gold patch, types', goldPatch(instance));
    if (!ran.ok) return ran;
    const { evidence } = ran.value;
    typed = gradeRun(evidence.run, lists, rules).reward === 1 ? evidence : null;
  }
  const found = checked(verdict);
  if (wanted === 0 || found.outcome.status !== 'ok') return success(found);
  const { findMutants } = await import('../../grading/run/mutants.ts');
  const mutants = await findMutants(setup, changed, { wanted, rules, seconds });
  if (!mutants.ok) return mutants;
  return success({ ...found, integrity: { ...found.integrity, mutants: mutants.value } });
}
