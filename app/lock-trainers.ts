/** Resolves the names of models, frameworks and images that a project trains or serves, for `lock` and `--frozen`. */

import { mapLimit } from '../basics/map-limit.ts';
import { fault, type Result, success } from '../basics/result.ts';
import type { Drift, Lock } from '../compiler/lock.ts';
import { askedModels } from '../contract/asked-models.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import { ask as askOf } from '../contract/question.ts';
import { hubRevision } from '../stages/dataset/readers/hub-api.ts';
import { imageText, parseImage } from '../tasks/images/image-name.ts';
import { hubModelOf, isFixed, modelName } from '../tasks/pins.ts';
import { sourceDepsOf } from '../tasks/source/instance-source.ts';
import { isCommit } from '../tasks/source/spec.ts';
import { FRAMEWORK } from '../tasks/training/framework.ts';
import type { CommandIo } from './io.ts';
import type { Session } from './session.ts';
import { shown } from './shown.ts';

const ASKED_AT_ONCE = 4;
const TRAINERS = ['sft', 'rl'] as const;

interface HubModel {
  id: string;
  revision: string;
}

/** Models of the hub that the project trains, serves or names as an identity, each once; those that name a commit pin themselves. */
function modelsOf(config: ResolvedConfig): HubModel[] {
  const trained = TRAINERS.map((which) => config.trainer?.[which]?.model);
  const asked = askedModels(config);
  const served = asked.map(({ serve }) => serve?.weights);
  const named = asked
    .map(({ identity }) => (identity === undefined ? null : hubModelOf(identity)))
    .filter((model) => model?.revision !== undefined && !isFixed(model.revision));
  const models = new Map<string, HubModel>();
  for (const model of [...trained, ...served, ...named]) {
    if (model?.id === undefined) continue;
    const { id, revision = 'main' } = model;
    if (!isCommit(revision)) models.set(modelName({ id, revision }), { id, revision });
  }
  return [...models].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, model]) => model);
}

/** Commits of the models; those in `known` are not looked up again. */
export async function lockedModels(
  session: Session,
  known: Readonly<Record<string, string>>,
): Promise<Result<Pick<Lock, 'models'>, string>> {
  const models = modelsOf(session.project.config);
  if (models.length === 0) return success({});
  const found = await commitsOf(
    models.filter((model) => known[modelName(model)] === undefined),
    session,
  );
  const lost = found.find(({ commit }) => !commit.ok);
  if (lost !== undefined && !lost.commit.ok) return fault(lost.commit.fault.detail);
  const fresh = new Map(found.map(({ name, commit }) => [name, commit.ok ? commit.value : '']));
  const names = models.map(modelName);
  return success({
    models: Object.fromEntries(names.map((name) => [name, known[name] ?? fresh.get(name)!])),
  });
}

function commitsOf(models: readonly HubModel[], session: Session) {
  const deps = sourceDepsOf(session.services);
  return mapLimit(models, ASKED_AT_ONCE, async (model) => {
    const found = await hubRevision({ ...model, kind: 'model' }, deps);
    return { name: modelName(model), commit: found.ok ? success(found.value.commit) : found };
  });
}

/** Models whose branch has another commit than the lock. A hub that does not answer is no drift; stderr names it. */
export async function modelDrift(
  locked: Readonly<Record<string, string>>,
  session: Session,
  io: CommandIo,
): Promise<Drift[]> {
  const models = modelsOf(session.project.config);
  const names = new Set(models.map(modelName));
  const drifts = Object.keys(locked)
    .filter((name) => !names.has(name))
    .map((name): Drift => ({ what: `models.${name}`, locked: locked[name]!, now: null }));
  for (const { name, commit } of await commitsOf(models, session)) {
    const before = locked[name] ?? null;
    if (commit.ok) {
      if (commit.value !== before) drifts.push({ what: `models.${name}`, locked: before, now: commit.value });
    } else if (commit.fault.status === 'failed' || before === null) {
      // What is not in the lock cannot be built as it was, whether or not the hub answers.
      drifts.push({ what: `models.${name}`, locked: before, now: before === null ? 'named' : null });
    } else {
      io.stderr.write(shown(`warning: ${name} could not be checked: ${commit.fault.detail}\n`));
    }
  }
  return drifts;
}

/** The frameworks of the trainers, as they are installed now. */
export async function lockedTrainers({
  project,
  services,
}: Session): Promise<Result<Pick<Lock, 'trainers'>, string>> {
  const trainers: NonNullable<Lock['trainers']> = {};
  for (const which of TRAINERS) {
    const type = project.config.trainer?.[which]?.type;
    if (type === undefined || type === 'none') continue;
    const answer = await askOf(FRAMEWORK, which, services);
    if (!answer.ok) return fault('detail' in answer.fault ? answer.fault.detail : answer.fault.status);
    // The image is pinned with the others.
    const { image: _, ...framework } = answer.value;
    trainers[which] = { type, framework };
  }
  return success(Object.keys(trainers).length === 0 ? {} : { trainers });
}

/** Images that trainers run in. */
export function trainerImages({ trainer }: ResolvedConfig): string[] {
  return TRAINERS.flatMap((which) => {
    const config = trainer?.[which];
    if (config === undefined || config.type === 'none') return [];
    const image = config.image === undefined ? null : parseImage(config.image.name);
    return image === null || image.digest !== null ? [] : [imageText(image)!];
  });
}
