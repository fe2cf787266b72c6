/** `export validate… --format harbor`: instances that passed validation as tasks of Harbor. */

import { relative, resolve } from 'node:path';
import { Tasks } from '../app/episodes/tasks.ts';
import { type ExportCounts, ExportFolder } from '../app/export/folder.ts';
import { graderFiles, readHarborTask } from '../app/harbor/read.ts';
import { taskFiles } from '../app/harbor/task.ts';
import type { CommandIo } from '../app/io.ts';
import { type Session, survey } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { matchesGlob } from '../basics/glob.ts';
import { formatCount, plural } from '../basics/plural.ts';
import { readText } from '../cache/cache.ts';
import { nodesOfTarget, splitAddress } from '../compiler/graph.ts';
import { addressOf } from '../contract/stage.ts';
import type { RunEnd } from '../engine/run.ts';
import { packageLines } from '../tasks/pins.ts';
import { answerUsage, type UsageError } from './arguments.ts';
import { unknownTarget } from './unknown-target.ts';

export const TASK_FORMAT = 'harbor';
const STAGE = 'validate';

export async function exportTasks(
  targets: readonly string[],
  to: string,
  json: boolean,
  session: Session,
  io: CommandIo,
): Promise<number> {
  const wrong = wrongTarget(targets, session);
  if (wrong !== null) return answerUsage(wrong, io);
  const end = await survey(session);
  const chosen = choose(targets, end, session);
  const all = chosen.flatMap(({ dataset, items }) => items.map((item) => ({ dataset, item })));
  if (all.length === 0) {
    io.stderr.write(
      shown('E002  there is no task to export: no instance that matches has passed validation\n'),
    );
    io.stderr.write(shown('      build the target first\n'));
    return 1;
  }
  const path = resolve(io.cwd, to);
  const folder = ExportFolder.open(path);
  if (folder === null) return answerUsage(foreignFolder(to), io);
  const datasets = chosen.filter(({ items }) => items.length > 0).map(({ dataset }) => dataset);
  const tasks = new Tasks(session, datasets);
  const grader = await graderFiles();
  const refused: { instance: string; why: string }[] = [];
  for (const { dataset, item } of all) {
    const inside = datasets.length === 1 ? item : `${dataset}/${item}`;
    const why = await writeTask(dataset, item, inside);
    if (why === null) continue;
    refused.push({ instance: item, why });
    io.stderr.write(shown(`left out: ${item}: ${why}\n`));
  }
  const done = {
    folder: relative(io.cwd, path) || '.',
    format: TASK_FORMAT,
    tasks: all.length - refused.length,
  };
  const counts = folder.finish();
  if (json) io.stdout.write(jsonLine({ ...done, refused, ...counts }));
  else io.stdout.write(shown(`${done.folder}: ${formatCount(done.tasks)} tasks, ${countsText(counts)}\n`));
  return done.tasks === 0 ? 1 : 0;

  /** Null, or why there is no task of it. */
  async function writeTask(dataset: string, item: string, inside: string): Promise<string | null> {
    const found = await tasks.find(dataset, item);
    if (!found.ok) return found.fault.outcome.detail;
    const packages = await packagesOf(found.value.environmentName, dataset, end, session);
    const read = await readHarborTask(found.value, packages, session);
    if (!read.ok) return read.fault;
    const { task, repository, hidden } = read.value;
    for (const file of taskFiles(task)) folder!.write({ ...file, path: `${inside}/${file.path}` });
    folder!.writeBytes(`${inside}/environment/repository.tar.gz`, repository);
    for (const [name, bytes] of hidden) folder!.writeBytes(`${inside}/tests/hidden/${name}`, bytes);
    for (const [name, bytes] of grader) folder!.writeBytes(`${inside}/tests/grader/${name}`, bytes);
    return null;
  }
}

/** Instances that the targets name and that passed, by their datasets. */
function choose(
  targets: readonly string[],
  end: RunEnd,
  { graph }: Session,
): { dataset: string; items: string[] }[] {
  return graph.nodes.flatMap(({ address, stage, dataset }) => {
    const about = targets.filter((target) => nodesOfTarget(graph, target).includes(address));
    const { state, blocked } = end.nodes.get(address)!;
    if (stage !== STAGE || about.length === 0 || blocked !== null) return [];
    const isMeant = (item: string) => about.some((one) => matchesGlob(splitAddress(one)[1] ?? '*', item));
    const passed = state.entries().filter(({ name, outcome }) => outcome.status === 'ok' && isMeant(name));
    return [{ dataset, items: passed.map(({ name }) => name) }];
  });
}

async function packagesOf(name: string, dataset: string, end: RunEnd, { cache }: Session): Promise<string[]> {
  const record = end.nodes.get(addressOf('environments', dataset))?.state.record(name);
  return packageLines((await readText(cache, record?.notes['pip freeze'])) ?? '');
}

function wrongTarget(targets: readonly string[], session: Session): UsageError | null {
  for (const target of targets) {
    const addresses = nodesOfTarget(session.graph, target);
    if (addresses.length === 0) return unknownTarget(target, session);
    if (addresses.some((address) => address.startsWith(`${STAGE}.`))) continue;
    return {
      kind: 'usage',
      message: `"${target}" has no tasks`,
      remedy: `tasks of Harbor are made of instances that passed ${STAGE}: name ${STAGE}, with a dataset or an item`,
    };
  }
  return null;
}

/** What an export did to its folder. */
export function countsText({ written, unchanged, removed }: ExportCounts): string {
  return [
    `${plural(written, 'file')} written`,
    ...(unchanged > 0 ? [`${formatCount(unchanged)} the same as before`] : []),
    ...(removed > 0 ? [`${formatCount(removed)} of before removed`] : []),
  ].join(', ');
}

export function foreignFolder(folder: string): UsageError {
  return {
    kind: 'usage',
    message: `${folder} holds files that no export wrote`,
    remedy: 'name a new folder',
  };
}
