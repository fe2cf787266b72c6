/**
 * A solver with all settings of its agent and the identity of its model, as data for keys. Made once for each run and
 * solver, since it reads files and may ask the endpoint for its identity.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Identified } from '../../agent/client/identity.ts';
import { agentKind } from '../../agent/kinds/registry.ts';
import { agentSettings, textsOf } from '../../agent/resolve.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { AgentTexts } from '../../agent/texts.ts';
import { asJson, canonicalJson, type Json } from '../../basics/canonical.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import type { AgentServices } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { ModelConfig, StepRewardsConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { modelName } from '../../tasks/pins.ts';
import { weightsIdentity } from '../../tasks/training/base-model.ts';
import { fixedIdentity, pinnedIdentity } from './fixed-identity.ts';
import { knownIdentity, noteIdentity } from './known-identity.ts';
import { modelPart, tokenizerDigest } from './sampling.ts';
import { type AgentSolver, agentBehind, asksModel, type SolverRef } from './solver.ts';

export interface ResolvedSolver {
  settings: AgentSettings;
  /** The agent's texts, compiled once. */
  texts(): Promise<Result<AgentTexts, string>>;
  /** null: no model answers. */
  model: { config: ModelConfig; identity: string } | null;
  judge: { config: StepRewardsConfig; identity: string } | null;
  /** The model that plays the user; null: none does. */
  user: ModelConfig | null;
  /** What of it is in an item's key. */
  part: Json;
}

/** What an agent is, with its model and judge: all of it that decides a sample. */
export const SOLVER: QuestionKind<{ of: SolverRef['of']; who: string }, Json> = {
  name: 'solver',
  changes: false,
  async answer(ref, services) {
    const solver = agentBehind(ref, services.config);
    if (solver === null) return fault(infra('tool-missing', `there is no agent "${ref.who}"`));
    const plan = await resolveSolver(solver, services);
    return plan.ok ? success(plan.value.part) : plan;
  },
};

/** Digests of the files that an agent's tokens are counted with and of the weights that are served, read while it works. */
export const TOKENIZERS: QuestionKind<{ of: SolverRef['of']; who: string }, Json> = {
  name: 'tokenizers',
  changes: true,
  async answer(ref, services) {
    const solver = agentBehind(ref, services.config);
    const user = solver === null ? undefined : userModelOf(solver);
    const models = [solver?.model, solver?.agent.step_rewards?.model, user];
    const paths = models.map((model) => model?.tokenizer);
    const digests = paths.map((path) => (path === undefined ? null : tokenizerDigest(path, services)));
    const served = models.flatMap((model) => model?.serve?.weights?.path ?? []);
    const weights = await Promise.all(served.map((path) => weightsIdentity(path, services)));
    const lost = weights.find(({ ok }) => !ok);
    if (lost !== undefined) return lost as Result<never, Infra>;
    return success([
      ...(await Promise.all(digests)),
      ...weights.flatMap((one) => (one.ok ? [one.value] : [])),
    ]);
  },
};

/** The plan of an agent; a fault names what is missing. An endpoint that was down may be asked again. */
export function resolveSolver(
  solver: AgentSolver,
  services: AgentServices,
): Promise<Result<ResolvedSolver, Infra>> {
  const { sample: _sample, ...who } = solver;
  const name = `plan ${canonicalJson(who)}`;
  return once(
    services.cache,
    name,
    () => makeResolved(solver, services),
    ({ ok }) => ok,
  );
}

async function makeResolved(
  solver: AgentSolver,
  services: AgentServices,
): Promise<Result<ResolvedSolver, Infra>> {
  const read = (path: string) => readFile(resolve(services.projectFolder, path), 'utf8');
  // The length of replies is a setting of the model that is asked here, not of the one that makes the training data.
  const agent = solver.model === null ? solver.agent : { ...solver.agent, model: solver.model };
  const settings = await agentSettings(agent, solver.overrides ?? undefined, read, { tryTexts: false });
  if (!settings.ok) return fault(infra('tool-missing', settings.fault));
  const texts = compiledOnce(settings.value);
  if (!asksModel(solver))
    return success({
      settings: settings.value,
      texts,
      model: null,
      judge: null,
      user: null,
      part: asJson({ agent: settings.value }),
    });
  if (solver.model === null) return fault(infra('tool-missing', 'the agent has no model'));
  const who = await identityOf(solver.model, services);
  if (!who.ok) return who;
  const { identity } = who.value;
  const config = withContext(solver.model, who.value);
  const uses = { prices: settings.value.limits.cost > 0 };
  const model = await modelPart(config, identity, services, uses);
  const judge = await judgeOf(solver.agent.step_rewards, services);
  if (!judge.ok) return judge;
  const user = await userOf(userModelOf(solver), services);
  if (!user.ok) return user;
  return success({
    settings: settings.value,
    texts,
    model: { config, identity },
    judge: judge.value.plan,
    user: user.value?.config ?? null,
    // A project without such a user has the keys that it had before there were any.
    part: asJson({
      ...{ agent: settings.value, model, judge: judge.value.part },
      ...(user.value === null ? {} : { user: user.value.part }),
    }),
  });
}

async function judgeOf(
  config: StepRewardsConfig | undefined,
  services: AgentServices,
): Promise<Result<{ plan: ResolvedSolver['judge']; part: Json }, Infra>> {
  if (config === undefined) return success({ plan: null, part: null });
  const who = await identityOf(config.model, services);
  if (!who.ok) return who;
  const { identity } = who.value;
  // The coefficient only weights values that are kept one by one, so it is no part of the key.
  const { model: endpoint, coefficient: _, ...rest } = config;
  const asked = withContext(endpoint, who.value);
  const model = await modelPart(asked, identity, services, { prices: false });
  return success({
    plan: { config: { ...config, model: asked }, identity },
    part: { ...rest, model } as Json,
  });
}

function userModelOf({ agent, overrides }: AgentSolver): ModelConfig | undefined {
  return (overrides?.user ?? agent.user)?.model;
}

async function userOf(
  written: ModelConfig | undefined,
  services: AgentServices,
): Promise<Result<{ config: ModelConfig; part: Json } | null, Infra>> {
  if (written === undefined) return success(null);
  const who = await identityOf(written, services);
  if (!who.ok) return who;
  const config = withContext(written, who.value);
  return success({ config, part: await modelPart(config, who.value.identity, services, { prices: false }) });
}

/** The model with its context length. It decides how replies are cut, so it is in the key. */
function withContext(model: ModelConfig, { context }: Identified): ModelConfig {
  return context === null ? model : { ...model, context };
}

/** Digests of someone else's patch files: what they say, not where they lie. */
export const PATCHES: QuestionKind<string[], string[]> = {
  name: 'patches',
  // Their readers compare them with these digests.
  changes: false,
  async answer(files, { cache, projectFolder }) {
    const paths = files.map((file) => resolve(projectFolder, file));
    return success(
      await Promise.all(paths.map(async (path) => (await digestOfPath(cache.database, path)) ?? 'gone')),
    );
  },
};

/** Which weights answer, and how much they take. The client is loaded only for a server that must be asked. */
async function identityOf(model: ModelConfig, services: AgentServices): Promise<Result<Identified, Infra>> {
  const { identity: written } = model;
  const { context = null } = model;
  if (written !== undefined) return named(written, model, services);
  const { path, id, revision = 'main' } = model.serve?.weights ?? {};
  if (path !== undefined) {
    const served = await weightsIdentity(path, services);
    return served.ok ? success({ identity: served.value, context }) : served;
  }
  if (id !== undefined) return named(modelName({ id, revision }), model, services);
  if (services.onlyReads === true) return knownIdentity(model, services);
  const identity = await (await import('./model.ts')).identityOf(model, services);
  if (identity.ok) await noteIdentity(model, identity.value, services);
  return identity;
}

/** What the project calls the weights, with the commit for a branch or tag of the hub. */
async function named(
  identity: string,
  model: ModelConfig,
  services: AgentServices,
): Promise<Result<Identified, Infra>> {
  const { context = null } = model;
  const pinned = pinnedIdentity(identity, services);
  if (pinned !== null) return success({ identity: pinned, context });
  if (services.onlyReads === true) return knownIdentity(model, services);
  const fixed = await fixedIdentity(identity, services);
  if (!fixed.ok) return fixed;
  await noteIdentity(model, { identity: fixed.value, context }, services);
  return success({ identity: fixed.value, context });
}

/** Compiled when they are first needed. */
function compiledOnce(settings: AgentSettings): ResolvedSolver['texts'] {
  let texts: ReturnType<ResolvedSolver['texts']> | undefined;
  return () => {
    texts ??= textsOf(settings);
    return texts;
  };
}

/** A fault when a template of the agent cannot be rendered; tried once something is to be rolled out. */
export async function templateFault({ settings, texts }: ResolvedSolver): Promise<Infra | null> {
  if (agentKind(settings.type).script !== undefined) return null;
  const made = await texts();
  const problem = made.ok ? (await import('../../agent/texts.ts')).trialTexts(made.value) : made.fault;
  return problem === null ? null : infra('template', problem);
}
