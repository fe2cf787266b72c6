/**
 * Folders of Harbor tasks as rows. A Harbor task is a container, a text and a script that gives a reward. The
 * instance that it was made from is in `tests/config.json`, as Harbor's own adapters of SWE-bench and similar
 * datasets leave it. A task without that file has no patch and no tests, so it cannot be a row.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { whenAbsent } from '../../../basics/absent.ts';
import { badRow, objectOf, type ReadRow } from '../../../formats/row.ts';

const TASK = 'task.toml';
const INSTANCE = 'tests/config.json';
const TEXT = 'instruction.md';

/** The files of the tasks in a folder, which may be a task itself: two for each task; none where it holds no task. */
export async function harborPaths(folder: string): Promise<string[]> {
  const names = existsSync(join(folder, TASK)) ? [''] : (await readdir(folder)).sort();
  return names
    .map((name) => join(folder, name))
    .filter((task) => existsSync(join(task, TASK)))
    .flatMap((task) => [join(task, INSTANCE), join(task, TEXT)]);
}

/** A row per task. */
export async function* readHarbor(paths: readonly string[]): AsyncGenerator<ReadRow> {
  for (let at = 0; at < paths.length; at += 2) yield taskRow(at / 2 + 1, paths[at]!, paths[at + 1]!);
}

async function taskRow(line: number, instance: string, text: string): Promise<ReadRow> {
  const task = basename(dirname(text));
  const bad = (message: string) => badRow(line, task, '', `${task}: ${message}`);
  const json = await readOrNull(instance);
  if (json === null)
    return bad(
      `there is no ${INSTANCE}, which holds the patch and the tests of the instance that a task is of`,
    );
  const row = objectOf(json);
  if (row === null) return bad(`${INSTANCE} is no JSON object`);
  const stated = typeof row.problem_statement === 'string' && row.problem_statement !== '';
  const statement = stated ? null : await readOrNull(text);
  return { line, row: statement === null ? row : { ...row, problem_statement: statement.trim() } };
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(whenAbsent(null));
}
