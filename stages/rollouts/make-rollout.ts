/** Runs one rollout: opens a workspace, chooses who replies, runs the loop, and stores the result. */

import type { TokenCounter } from '../../agent/context/counter.ts';
import type { ModelDoor } from '../../agent/door/door.ts';
import { agentKind, drivesItself, loopOf } from '../../agent/kinds/registry.ts';
import type { Asker, Policy } from '../../agent/policy.ts';
import type { DoorIn, Judge, RolloutOutput } from '../../agent/rollout.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { storeText } from '../../cache/cache.ts';
import type { ActionResult } from '../../contract/stage.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { canonicalDiff, goldRole } from '../../patches/ways.ts';
import type { Instance } from '../../schemas/instance.ts';
import { type Attempt, type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { splitHidden } from '../../tasks/first-state/hidden.ts';
import type { RolloutContext } from './context.ts';
import { doorOf } from './endpoints.ts';
import { itemName } from './item-name.ts';
import { askerFor, changedWeightsOf, judgeFor, openModelFor, type TrainingOptions } from './model.ts';
import { type AgentWorkspaceRequest, openForAgent } from './open.ts';
import type { ResolvedSolver } from './resolve-solver.ts';
import { summaryOf } from './summary.ts';
import { taskFor } from './task.ts';

export interface RolloutRequest extends AgentWorkspaceRequest {
  solver: ResolvedSolver;
  sample: string;
  seed: number;
  /** The model that replies, where the project does not decide that; absent: the agent that the solver names. */
  actors?(context: RolloutContext): Promise<Result<Actors, Infra>>;
}

/** Milliseconds before the first prompt. */
interface Waits {
  open: number;
  queued: number;
}

/** A rollout that ended by itself. */
export interface RolledOut extends RolloutOutput {
  waits: Waits;
}

/** Makes one rollout and keeps it. */
export async function makeRollout(what: RolloutRequest, context: RolloutContext): Promise<ActionResult> {
  const ran = await rollOut(what, context);
  return ran.ok ? keep(ran.value, context) : { outcome: ran.fault, outputs: {} };
}

/** Makes one rollout. Whatever is wrong with machines or endpoints is a fault and no trajectory. */
export async function rollOut(what: RolloutRequest, context: RolloutContext): Attempt<RolledOut> {
  const texts = await what.solver.texts();
  if (!texts.ok) return fault(infra('template', texts.fault));
  const door = drivesItself(what.solver.settings) ? await doorOf(context) : null;
  const opened = await openForAgent({ ...what, reach: door === null ? [] : [door.socket] }, context);
  if (!opened.ok) return opened;
  const { workspace, openMs, queuedMs, ...beginning } = opened.value;
  try {
    const actors = await (what.actors?.(context) ?? actorsFor(what, context));
    if (!actors.ok) return actors;
    const { settings } = what.solver;
    const { policy, model, counter, judge, user } = actors.value;
    const ran = await agentKind(settings.type).run({
      settings,
      texts: texts.value,
      task: taskFor(what.instance, what.sample, what.seed, settings),
      ...{ policy, model, counter, judge, user, workspace },
      door: door === null ? null : doorIn(door, workspace, policy, what.solver),
      ...beginning,
      signal: context.signal,
      log: context.log,
    });
    if (!ran.ok) return ran;
    const changed = await actors.value.changedWeights(context.signal);
    if (changed !== null) return fault(changed);
    return success({ ...ran.value, waits: { open: openMs, queued: queuedMs } });
  } finally {
    await workspace.close();
  }
}

/** The door as the workspace sees it. */
function doorIn(door: ModelDoor, { ports }: Workspace, policy: Policy, { model }: ResolvedSolver): DoorIn {
  const sent = policy.parameters();
  return {
    begin: (options) => door.begin(options),
    end: (session) => door.end(session),
    url: `http://127.0.0.1:${ports[0]}`,
    context: model?.config.context ?? null,
    maxTokens: Number(sent.max_tokens ?? sent.max_completion_tokens),
  };
}

function keep({ trajectory, timings, waits }: RolledOut, { cache, secrets }: RolloutContext): ActionResult {
  const text = (value: unknown) => storeText(cache, secrets.redact(canonicalJson(value)));
  const outcome = outcomeOf(trajectory);
  return {
    outcome,
    outputs: {
      trajectory: text(trajectory),
      // Without a patch nothing is graded, and the rollout's own outcome counts.
      ...(outcome.status === 'ok' ? { patch: storeText(cache, trajectory.patch) } : {}),
      summary: text(summaryOf(trajectory)),
    },
    notes: { timings: text({ ...timings, ...waits }) },
  };
}

/** What a rollout comes to: its work is to be graded, unless the model was kept from working. */
export function outcomeOf({
  exit_status,
  exit_detail,
}: Trajectory): Extract<Outcome, { status: 'ok' | 'failed' }> {
  if (exit_status !== 'content_filtered') return { status: 'ok' };
  return { status: 'failed', reason: 'content-filtered', detail: exit_detail };
}

export interface Actors {
  policy: Policy;
  model: Trajectory['model'];
  counter: TokenCounter | null;
  judge: Judge | null;
  user: Asker | null;
  /** After the last reply: the fault when other weights may have answered than the key names. */
  changedWeights(signal: AbortSignal): Promise<Infra | null>;
}

const NO_MODEL = { model: null, counter: null, judge: null, changedWeights: async () => null };

type WhoWorks = Pick<RolloutRequest, 'solver' | 'instance' | 'sample' | 'seed'>;

/** The models that answer, judge and play the user, as the solver says. `weightsChange`: those of models change on purpose, as in training. */
export async function actorsFor(
  { solver: plan, instance, sample, seed }: WhoWorks,
  context: RolloutContext,
  options: TrainingOptions = {},
): Promise<Result<Actors, Infra>> {
  const { settings, model, judge, user } = plan;
  const { script, loop } = agentKind(settings.type);
  if (script !== undefined) {
    const gold = script.seesGold ? goldOf(instance) : null;
    if (script.seesGold && gold === null) return fault(infra('internal', 'the gold patch cannot be read'));
    return success({ ...NO_MODEL, user: null, policy: script.policy(loopOf(settings), settings, gold) });
  }
  const tools = loop?.(settings).format.tools ?? [];
  const opened = await openModelFor(model!.config, settings, { ...options, tools }, context);
  if (!opened.ok) return opened;
  const session = itemName(instance.instance_id, sample);
  const judging =
    judge === null ? success(null) : await judgeFor(judge.config, { ...options, seed, session }, context);
  if (!judging.ok) return judging;
  const asker = await userFor({ solver: plan, instance, sample, seed }, context, options);
  if (!asker.ok) return asker;
  const who = { name: model!.config.name ?? model!.identity, identity: model!.identity };
  const configs = options.weightsChange
    ? []
    : [model!.config, ...(judge === null ? [] : [judge.config.model]), ...(user === null ? [] : [user])];
  const changedWeights = async (signal: AbortSignal) => {
    for (const config of configs) {
      const changed = await changedWeightsOf(config, { ...context, signal });
      if (changed !== null) return changed;
    }
    return null;
  };
  return success({
    ...opened.value,
    ...{ model: who, judge: judging.value, user: asker.value, changedWeights },
  });
}

/** The model that plays the user; null: none does. */
async function userFor(
  { solver: { user }, instance, sample, seed }: WhoWorks,
  context: RolloutContext,
  { weightsChange }: TrainingOptions = {},
): Promise<Result<Asker | null, Infra>> {
  if (user === null) return success(null);
  const session = itemName(instance.instance_id, sample);
  return askerFor(
    user,
    { seed, session, ...(weightsChange === undefined ? {} : { weightsChange }) },
    context,
  );
}

/** Where a caller gives the replies: it alone decides which weights answer, and judges nothing here. */
export async function answeredBy(
  policy: Policy,
  who: WhoWorks,
  context: RolloutContext,
): Promise<Result<Actors, Infra>> {
  const user = await userFor(who, context, { weightsChange: true });
  return user.ok ? success({ ...NO_MODEL, policy, user: user.value }) : user;
}

/** The known solution as a diff; null: it cannot be read. */
function goldOf(instance: Instance): string | null {
  const role = goldRole(instance.patch_role);
  const { rest: patch } = splitHidden(instance.patch, instance);
  return canonicalDiff(patch, role) ?? (role === 'apply' ? patch : null);
}
