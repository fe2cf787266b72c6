/**
 * Folders of Harbor tasks as rows. A Harbor task is a container, a text and a script that gives a reward. The
 * instance that it was made from is in `tests/config.json`, as Harbor's own adapters of SWE-bench and similar
 * datasets leave it. A task without that file has no patch and no tests, so it cannot be a row. Neither can one whose
 * compose file has containers beside the task's own: they would be missing here, and its tests would fail for that.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { whenAbsent } from '../../../basics/absent.ts';
import { badRow, objectOf, type RawRow, type ReadRow } from '../../../formats/row.ts';

const TASK = 'task.toml';
const INSTANCE = 'tests/config.json';
const TEXT = 'instruction.md';
/** Where Harbor looks for containers: of the agent, and of a verifier with an environment of its own. */
const COMPOSE = ['environment/docker-compose.yaml', 'tests/docker-compose.yaml'];
/** The container of the task itself. */
const MAIN = 'main';

/**
 * The files of the tasks in a folder, which may be a task itself: instance, text, and compose files that are there, for each
 * task; none where it holds no task.
 */
export async function harborPaths(folder: string): Promise<string[]> {
  const names = existsSync(join(folder, TASK)) ? [''] : (await readdir(folder)).sort();
  return names
    .map((name) => join(folder, name))
    .filter((task) => existsSync(join(task, TASK)))
    .flatMap((task) => [
      join(task, INSTANCE),
      join(task, TEXT),
      ...COMPOSE.map((name) => join(task, name)).filter((path) => existsSync(path)),
    ]);
}

/** A row per task. */
export async function* readHarbor(paths: readonly string[]): AsyncGenerator<ReadRow> {
  const texts = paths.filter((path) => basename(path) === TEXT);
  for (const [at, text] of texts.entries()) {
    const task = dirname(text);
    const compose = COMPOSE.filter((name) => paths.includes(join(task, name)));
    yield taskRow(at + 1, task, compose);
  }
}

async function taskRow(line: number, folder: string, compose: readonly string[]): Promise<ReadRow> {
  const task = basename(folder);
  const bad = (message: string) => badRow(line, task, '', `${task}: ${message}`);
  const json = await readOrNull(join(folder, INSTANCE));
  if (json === null)
    return bad(
      `there is no ${INSTANCE}, which holds the patch and the tests of the instance that a task is of`,
    );
  const row = objectOf(json);
  if (row === null) return bad(`${INSTANCE} is no JSON object`);
  for (const name of compose) {
    const problem = composeProblem((await readOrNull(join(folder, name))) ?? '');
    if (problem !== null && !hasOwnServices(row)) return bad(`${name} ${problem}`);
  }
  const stated = typeof row.problem_statement === 'string' && row.problem_statement !== '';
  const statement = stated ? null : await readOrNull(join(folder, TEXT));
  return { line, row: statement === null ? row : { ...row, problem_statement: statement.trim() } };
}

/** Its row says what runs beside its tests here. */
function hasOwnServices({ recipe }: RawRow): boolean {
  return Array.isArray(objectOf(recipe)?.background);
}

const REMEDY =
  'give what its tests need as `background` in the recipe of tests/config.json (format custom), or remove the file where a recipe of the project gives it';

/** Why a task with this compose file cannot be a row; null where the file only says more about the task's own container. */
function composeProblem(text: string): string | null {
  let content: unknown;
  try {
    content = parse(text, { logLevel: 'error' });
  } catch (error) {
    return `is no YAML: ${(error as Error).message.split('\n')[0]}`;
  }
  const { services, include } = objectOf(content) ?? {};
  if (include !== undefined)
    return `includes other files, whose containers swemake does not start; ${REMEDY}`;
  const beside = Object.keys(objectOf(services) ?? {}).filter((name) => name !== MAIN);
  if (beside.length === 0) return null;
  return `has containers that swemake does not start (${beside.join(', ')}); ${REMEDY}`;
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(whenAbsent(null));
}
