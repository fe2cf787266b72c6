/** Container images of a project's instances and what their tags mean now, for `lock --images` and `--frozen`. */

import { mapLimit } from '../basics/map-limit.ts';
import { fault, type Result, success } from '../basics/result.ts';
import type { Drift } from '../compiler/lock.ts';
import type { ResolvedConfig } from '../contract/config.ts';
import { addressOf } from '../contract/stage.ts';
import type { RunEnd } from '../engine/run.ts';
import { readCatalogue, readInstance } from '../stages/dataset/blocks/catalogue.ts';
import { parseBase } from '../tasks/base/spec.ts';
import { imageText, parseImage } from '../tasks/images/image-name.ts';
import { imageOf } from '../tasks/images/instance-image.ts';
import { Registry } from '../tasks/images/registry.ts';
import { sourceDepsOf } from '../tasks/source/instance-source.ts';
import type { CommandIo } from './io.ts';
import { trainerImages } from './lock-trainers.ts';
import type { Session } from './session.ts';
import { shown } from './shown.ts';

/** Requests at once: registries count them. */
const ASKED_AT_ONCE = 8;
const READ_AT_ONCE = 32;

/**
 * Image -> digest, for every image of the answered datasets; those in `known` are not looked up again.
 * @param end null: only images of trainers
 */
export async function lockedImages(
  session: Session,
  end: RunEnd | null,
  known: Readonly<Record<string, string>>,
): Promise<Result<Record<string, string>, string>> {
  const ofTrainers = trainerImages(session.project.config);
  const names =
    end === null ? ofTrainers : [...new Set([...(await imagesOf(session, end)), ...ofTrainers])].sort();
  const answers = await ask(
    names.filter((name) => known[name] === undefined),
    session,
  );
  const refused = answers.find(({ problem }) => problem !== null);
  if (refused?.problem != null) return fault(refused.problem);
  const fresh = new Map(answers.map(({ name, digest }) => [name, digest!]));
  return success(Object.fromEntries(names.map((name) => [name, known[name] ?? fresh.get(name)!])));
}

/** Tags that mean another image by now. A registry that does not answer is named on stderr, and is no drift. */
export async function imageDrift(
  locked: Readonly<Record<string, string>>,
  session: Session,
  io: CommandIo,
): Promise<Drift[]> {
  const answers = await ask(Object.keys(locked), session);
  const unknown = answers.filter(({ problem, gone }) => problem !== null && !gone);
  if (unknown.length > 0)
    io.stderr.write(
      shown(`warning: ${unknown.length} image tags could not be checked: ${unknown[0]!.problem}\n`),
    );
  return answers.flatMap(({ name, digest, gone }) =>
    gone || (digest !== null && digest !== locked[name])
      ? [{ what: `images.${name}`, locked: locked[name]!, now: digest }]
      : [],
  );
}

interface RegistryAnswer {
  name: string;
  digest: string | null;
  problem: string | null;
  /** The registry says that there is no such image. */
  gone: boolean;
}

function ask(names: readonly string[], session: Session): Promise<RegistryAnswer[]> {
  const registry = new Registry(sourceDepsOf(session.services));
  return mapLimit(names, ASKED_AT_ONCE, async (name) => {
    const found = await registry.digest(parseImage(name)!);
    if (found.ok) return { name, digest: found.value, problem: null, gone: false };
    return { name, digest: null, problem: found.fault.detail, gone: found.fault.status === 'failed' };
  });
}

/** Images of registries that whole deployments stand on. */
function baseImages({ deployments }: ResolvedConfig): string[] {
  return Object.values(deployments).flatMap(({ base }) => {
    const spec = base === undefined ? null : parseBase(base);
    return spec?.kind === 'registry' ? [imageText(spec.image)!] : [];
  });
}

/** Sorted, each once. */
async function imagesOf(session: Session, end: RunEnd): Promise<string[]> {
  const names = new Set(baseImages(session.project.config));
  for (const [dataset, config] of Object.entries(session.project.config.dataset)) {
    const record = end.nodes.get(addressOf('dataset', dataset))?.state.record('') ?? null;
    if (record === null || record.outcome.status !== 'ok') continue;
    const { rows } = await readCatalogue(record, session.services);
    await mapLimit(rows, READ_AT_ONCE, async (row) => {
      const name = imageOf(await readInstance(record, row, session.services), config);
      if (name !== null) names.add(name);
    });
  }
  return [...names].sort();
}
