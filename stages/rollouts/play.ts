/** Running one rollout: a workspace, someone who answers, the loop; then what is kept of it. */

import { actionFormat } from '../../agent/actions/format.ts';
import type { TokenCounter } from '../../agent/context/counter.ts';
import { runRollout } from '../../agent/loop.ts';
import { noopPolicy } from '../../agent/noop.ts';
import { oraclePolicy } from '../../agent/oracle.ts';
import type { Policy } from '../../agent/policy.ts';
import type { Judge, RolloutOutput } from '../../agent/rollout.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { storeText } from '../../cache/cache.ts';
import type { ActionContext, ActionResult } from '../../contract/stage.ts';
import { canonicalDiff, goldRole } from '../../grading/apply.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { splitHidden } from '../../tasks/first-state/hidden.ts';
import { itemName } from './item-name.ts';
import { judgeFor, openModelFor } from './model.ts';
import { openForAgent, type Place } from './open.ts';
import type { Plan } from './plan.ts';
import { summaryOf } from './summary.ts';
import { taskFor } from './task.ts';

export interface Play extends Place {
  plan: Plan;
  sample: string;
  seed: number;
}

/** Plays one rollout. Whatever is wrong with machines or endpoints is a fault and no trajectory. */
export async function play(what: Play, context: ActionContext): Promise<ActionResult> {
  const texts = await what.plan.texts();
  if (!texts.ok) return { outcome: infra('template', texts.fault), outputs: {} };
  const opened = await openForAgent(what, context);
  if (!opened.ok) return { outcome: opened.fault, outputs: {} };
  const { workspace, base, openMs, queuedMs } = opened.value;
  try {
    const actors = await actorsFor(what, context);
    if (!actors.ok) return { outcome: actors.fault, outputs: {} };
    const { settings } = what.plan;
    const ran = await runRollout({
      settings,
      texts: texts.value,
      task: taskFor(what.instance, what.sample, what.seed, settings),
      ...actors.value,
      workspace,
      base,
      signal: context.signal,
      log: context.log,
    });
    if (!ran.ok) return { outcome: ran.fault, outputs: {} };
    return keep(ran.value, { open: openMs, queued: queuedMs }, context);
  } finally {
    await workspace.close();
  }
}

function keep(
  { trajectory, timings }: RolloutOutput,
  waits: { open: number; queued: number },
  { cache, secrets }: ActionContext,
): ActionResult {
  const text = (value: unknown) => storeText(cache, secrets.redact(canonicalJson(value)));
  return {
    outcome: { status: 'ok' },
    outputs: {
      trajectory: text(trajectory),
      patch: storeText(cache, trajectory.patch),
      summary: text(summaryOf(trajectory)),
    },
    notes: { timings: text({ ...timings, ...waits }) },
  };
}

interface Actors {
  policy: Policy;
  model: Trajectory['model'];
  counter: TokenCounter | null;
  judge: Judge | null;
}

async function actorsFor(
  { plan, instance, sample, seed }: Play,
  context: ActionContext,
): Promise<Result<Actors, Infra>> {
  const { settings, model, judge } = plan;
  const nobody = { model: null, counter: null, judge: null };
  if (settings.type === 'noop') return success({ ...nobody, policy: noopPolicy(settings) });
  if (settings.type === 'oracle') {
    const role = goldRole(instance.patch_role);
    const { rest: patch } = splitHidden(instance.patch, instance);
    const gold = canonicalDiff(patch, role) ?? (role === 'apply' ? patch : null);
    if (gold === null) return fault(infra('executor', 'the gold patch cannot be read'));
    return success({ ...nobody, policy: oraclePolicy(settings, gold) });
  }
  const tools = actionFormat(settings).tools;
  const opened = await openModelFor(model!.config, settings, tools, context);
  if (!opened.ok) return opened;
  const session = itemName(instance.instance_id, sample);
  const judging = judge === null ? success(null) : await judgeFor(judge.config, seed, session, context);
  if (!judging.ok) return judging;
  const who = { name: model!.config.name ?? model!.identity, identity: model!.identity };
  return success({ ...opened.value, model: who, judge: judging.value });
}
