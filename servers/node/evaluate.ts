/**
 * An evaluation: the patch is applied to the repository as the image has it, then the script runs, and its exit code
 * is the verdict. A failure to run it is reported separately: only an answer of the task is a reward.
 */
import { fault, type Result, success } from '../../basics/result.ts';
import type { ExecResult, Workspace, WorkspaceLost } from '../../executors/deployment.ts';
import { helperFault } from '../../executors/helper-fault.ts';
import { applyAttempts, canonicalDiff } from '../../patches/ways.ts';
import { infra } from '../../schemas/outcome.ts';
import { type Ended, endOf, runLogin } from './command.ts';

export interface EvaluateRequest {
  patch: string;
  script: string;
  cwd: string;
  /** Seconds. */
  timeout: number;
  /** Characters of the log that are kept, from its end. */
  kept: number;
  /** Bytes of output that are held while it runs. */
  maxOutput: number;
}

type EvaluationOutcome = 'resolved' | 'unresolved' | 'patch_error' | 'timeout';

export type Evaluation = Readonly<Record<string, unknown>> & {
  ok: true;
  resolved: boolean;
  outcome: EvaluationOutcome;
  reward: 0 | 1;
};

/** Makes git accept a repository that belongs to another user. */
export const TRUST_ANY = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
};
const PATCH = '/tmp/.swemake-evaluation.diff';
const SCRIPT = '/tmp/.swemake-evaluation.sh';
/** Seconds. */
const APPLY_TIMEOUT = 300;

export async function evaluate(
  workspace: Workspace,
  request: EvaluateRequest,
): Promise<Result<Evaluation, WorkspaceLost>> {
  const startedAt = Date.now();
  const start = performance.now();
  const timing = (apply: number, run: number) => ({
    stage_started_at_ms: startedAt,
    apply_elapsed_ms: Math.round(apply),
    eval_elapsed_ms: Math.round(run),
    total_elapsed_ms: Math.round(performance.now() - start),
  });
  const diff = canonicalDiff(request.patch, 'apply');
  if (diff === null)
    return success({
      ...verdict('patch_error'),
      error: 'patch validation failed: expected unified git diff with diff --git headers',
      timing: timing(0, 0),
    });
  const applied = await apply(workspace, request);
  if (!applied.ok) return applied;
  const applyElapsed = performance.now() - start;
  const { returncode: applyCode, output: applyOutput } = applied.value;
  const facts = { apply_returncode: applyCode, apply_output: applyOutput };
  if (applyCode !== 0)
    return success({
      ...verdict('patch_error'),
      error: `git apply failed: ${applyOutput}`,
      returncode: -1,
      ...facts,
      timing: timing(applyElapsed, 0),
    });
  const ran = await runScript(workspace, request);
  if (!ran.ok) return ran;
  const { returncode, output, truncated } = ran.value;
  const log = request.kept > 0 && output.length > request.kept ? output.slice(-request.kept) : output;
  return success({
    ...verdict(returncode === 0 ? 'resolved' : returncode === -1 ? 'timeout' : 'unresolved'),
    ...(returncode === -1 ? { error: `Evaluation timed out after ${request.timeout}s` } : {}),
    returncode,
    output: log,
    output_truncated: truncated || log.length < output.length,
    ...facts,
    timing: timing(applyElapsed, performance.now() - start - applyElapsed),
  });
}

function verdict(outcome: EvaluationOutcome): Evaluation {
  const resolved = outcome === 'resolved';
  return { ok: true, resolved, outcome, reward: resolved ? 1 : 0 };
}

/** Exit code of a step that was left out. */
const LEFT_OUT = 64;

/**
 * The end of the last tool that tried to apply the patch, with the output of all. If git could not run, there is no
 * answer.
 */
async function apply(
  workspace: Workspace,
  { patch, cwd }: EvaluateRequest,
): Promise<Result<Ended, WorkspaceLost>> {
  const written = await put(workspace, PATCH, patch.endsWith('\n') ? patch : `${patch}\n`);
  if (!written.ok) return written;
  const options = { cwd, env: TRUST_ANY, timeout: APPLY_TIMEOUT, login: true };
  const run = async (what: string, command: string): Promise<Result<ExecResult, WorkspaceLost>> => {
    const ran = await workspace.exec(command, options);
    const broken = ran.ok ? helperFault(what, ran.value) : null;
    return broken === null ? ran : fault(broken);
  };
  const reset = await run('putting the repository back', 'git reset -q --hard HEAD && git clean -qfd');
  if (!reset.ok) return reset;
  if (reset.value.exitCode !== 0)
    return fault(infra('helper', `${cwd} is not a repository that can be restored: ${reset.value.output}`));
  const { exact, lenient } = applyAttempts(PATCH);
  const tries: Ended[] = [];
  for (const [index, command] of [...exact, ...lenient].entries()) {
    // An image may lack GNU patch; then git's answer counts.
    const guarded =
      index < exact.length ? command : `command -v patch >/dev/null || exit ${LEFT_OUT}; ${command}`;
    const ran = await run('applying the patch', guarded);
    if (!ran.ok) return ran;
    const ended = endOf(ran.value, APPLY_TIMEOUT);
    if (ended.returncode !== LEFT_OUT) tries.push(ended);
    if (ended.returncode === 0) break;
  }
  return success({ ...tries.at(-1)!, output: tries.map(({ output }) => output).join('') });
}

async function runScript(
  workspace: Workspace,
  { script, cwd, timeout, maxOutput }: EvaluateRequest,
): Promise<Result<Ended, WorkspaceLost>> {
  const written = await put(workspace, SCRIPT, script);
  if (!written.ok) return written;
  return runLogin(workspace, `bash ${SCRIPT}`, { cwd, timeout, maxOutput });
}

/** In an unused workspace, a file that cannot be written is a fault of the machine. */
async function put(workspace: Workspace, path: string, text: string): Promise<Result<null, WorkspaceLost>> {
  const written = await workspace.write(path, text);
  if (written.ok) return written;
  if (written.fault.status !== 'refused') return fault(written.fault);
  return fault({ status: 'infra', reason: 'helper', detail: `${path}: ${written.fault.detail}` });
}
