/**
 * One check of an instance: a fresh workspace, patches in order, the tests, the grader's view of their output.
 */
import type {
  Deployment,
  EnvironmentView,
  ExecResult,
  Limits,
  Network,
  Workspace,
} from '../../executors/deployment.ts';
import { type ApplyRole, applyAttempts } from '../../grading/apply.ts';
import { evalScript } from '../../grading/eval-script.ts';
import { type RunResult, readTestLog } from '../../grading/log.ts';
import type { LogParser } from '../../grading/parsers/registry.ts';
import { testCommand } from '../../grading/test-command.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import { fault, type Result, success } from '../../schemas/result.ts';
import type { TestRecipe } from '../environments/recipe.ts';

/** Everything that the checks of one instance have in common. */
export interface CheckSetup {
  deployment: Deployment;
  environment: EnvironmentView;
  /** Folder of the source layer. */
  source: string;
  instance: Instance;
  tests: TestRecipe;
  parser: LogParser;
  limits: Limits;
  network: Network;
  /** Seconds for the test command. */
  timeout: number;
  signal: AbortSignal;
  log(text: string): void;
}

/** One patch to apply, and what to call it in messages. */
export interface PatchStep {
  title: string;
  diff: string;
  role: ApplyRole;
}

/** Seconds that applying a patch may take. */
const PATCH_TIMEOUT = 60;

/** Patches that make the task's state: the bug, then the hidden tests. */
export function taskState(instance: Instance): PatchStep[] {
  const steps: PatchStep[] = [];
  if (instance.patch_role === 'bug') steps.push({ title: 'bug patch', diff: instance.patch, role: 'apply' });
  if (instance.test_patch !== '')
    steps.push({ title: 'test patch', diff: instance.test_patch, role: 'apply' });
  return steps;
}

/** The patch that solves the task. */
export function goldPatch(instance: Instance): PatchStep {
  return {
    title: 'gold patch',
    diff: instance.patch,
    role: instance.patch_role === 'bug' ? 'reverse' : 'apply',
  };
}

/** Runs the tests after `steps` in a workspace of its own. */
export async function runCheck(
  setup: CheckSetup,
  title: string,
  steps: readonly PatchStep[],
): Promise<Result<RunResult, Infra | Outcome>> {
  const { deployment, environment, source, limits, network, signal } = setup;
  const opened = await deployment.open(
    environment,
    { layer: source },
    { limits, network, storage: 'memory', signal },
  );
  if (!opened.ok) return opened;
  const workspace = opened.value;
  try {
    for (const step of steps) {
      const refused = await applyPatch(workspace, step, setup);
      if (refused !== null) return fault(refused);
    }
    return await runTests(workspace, title, setup);
  } finally {
    await workspace.close();
  }
}

async function runTests(
  workspace: Workspace,
  title: string,
  setup: CheckSetup,
): Promise<Result<RunResult, Infra | Outcome>> {
  const { instance, tests, timeout, signal } = setup;
  const script = evalScript({
    evalCommands: tests.eval_commands,
    testCommand: testCommand(tests.test, instance),
  });
  const ran = await workspace.exec(script, { timeout, signal });
  if (!ran.ok) return ran;
  setup.log(section(title, ran.value));
  const { output, exitCode, timedOut } = ran.value;
  return success(readTestLog(output, setup.parser, { exitCode, timedOut }));
}

/** Tries the known ways to apply a patch in order; null when one of them worked. */
async function applyPatch(
  workspace: Workspace,
  step: PatchStep,
  setup: CheckSetup,
): Promise<Infra | Outcome | null> {
  const path = '/tmp/swemake.patch';
  await workspace.write(path, step.diff);
  let last = '';
  for (const attempt of applyAttempts(path, step.role)) {
    const ran = await workspace.exec(attempt, { timeout: PATCH_TIMEOUT, signal: setup.signal });
    if (!ran.ok) return ran.fault;
    if (ran.value.exitCode === 0) return null;
    last = ran.value.output;
  }
  setup.log(`== ${step.title} does not apply\n${last}\n`);
  const line = last.trim().split('\n')[0] ?? '';
  return { status: 'failed', reason: 'patch-does-not-apply', detail: `${step.title}: ${line}` };
}

function section(title: string, ran: ExecResult): string {
  const end = ran.timedOut ? 'time limit' : `exit code ${ran.exitCode ?? ran.exitSignal}`;
  return `== ${title} · ${end} · ${(ran.durationMs / 1000).toFixed(1)} s\n${ran.output}\n`;
}
