/**
 * What a first project is made of, as the options say it or as somebody at the terminal answers. The same checks hold
 * for both; a wrong answer is asked for again.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EndpointChoice } from '../app/init/project-text.ts';
import { QUICKSTART, TEMPLATE_NAMES } from '../app/init/templates.ts';
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import { closest } from '../basics/suggest.ts';
import { isHubId } from '../schemas/dataset-source.ts';

export interface InitWish {
  from: string | null;
  template: string | null;
  /** null: no model yet. */
  endpoint: EndpointChoice | null;
}

export interface Wrong {
  message: string;
  remedy: string;
}

/** Why no project can be made from this source; null when nothing speaks against it so far. */
export function wrongSource(from: string, io: CommandIo): Wrong | null {
  if (from.startsWith('git+') || isAddress(from)) return null;
  if (isHubId(from) || existsSync(resolve(io.cwd, from))) return null;
  const near = closest(from, TEMPLATE_NAMES);
  const remedy = from.includes('==')
    ? `make its rows first: swemake mutate ${from}`
    : near === null
      ? 'name rows, the folder of a git repository, or OWNER/NAME on the hub'
      : `did you mean the template "${near}"?`;
  return { message: `there is no file or folder "${from}"`, remedy };
}

/** Of a repository, as people copy it. */
export function isAddress(from: string): boolean {
  return /^(https?|ssh|file):\/\/|^git@/.test(from);
}

export function wrongTemplate(name: string): Wrong | null {
  if (TEMPLATE_NAMES.includes(name)) return null;
  const near = closest(name, TEMPLATE_NAMES);
  const remedy = near === null ? `one of ${TEMPLATE_NAMES.join(', ')}` : `did you mean "${near}"?`;
  return { message: `there is no template "${name}"`, remedy };
}

export function wrongEndpoint(url: string): Wrong | null {
  if (/^https?:\/\/\S+$/.test(url)) return null;
  return { message: `"${url}" is not an address`, remedy: 'write it as http://127.0.0.1:8000/v1' };
}

/** Asks for what is open: `endpoint` is undefined until it is known. null when there is no answer any more. */
export async function askWish(
  endpoint: InitWish['endpoint'] | undefined,
  ask: NonNullable<CommandIo['ask']>,
  io: CommandIo,
): Promise<InitWish | null> {
  const answerTo = async (question: string, usual: string, wrong: (answer: string) => Wrong | null) => {
    for (;;) {
      // No shell replaces the name of the home here.
      const answer = (await ask(shown(question)))?.trim().replace(/^~(?=\/|$)/, io.env.HOME ?? '~');
      if (answer === undefined) return null;
      if (answer === '') return usual;
      const found = wrong(answer);
      if (found === null) return answer;
      io.stderr.write(shown(`  ${found.message}\n  ${found.remedy}\n`));
    }
  };
  io.stderr.write(
    shown(`What are the tasks made of?
  a file or folder of rows, or OWNER/NAME of a dataset of the hub
  the folder or the address of a git repository with tests: bugs are made in it
  a template: ${TEMPLATE_NAMES.join(', ')}
`),
  );
  const isTemplate = (answer: string) => TEMPLATE_NAMES.includes(answer);
  const tasks = await answerTo(`Tasks [${QUICKSTART}]: `, QUICKSTART, (answer) =>
    isTemplate(answer) ? null : wrongSource(answer, io),
  );
  if (tasks === null) return null;
  const chosen = isTemplate(tasks) ? { from: null, template: tasks } : { from: tasks, template: null };
  if (endpoint !== undefined) return { ...chosen, endpoint };
  // The quickstart needs no model.
  if (tasks === QUICKSTART) return { ...chosen, endpoint: null };
  const url = await answerTo('Where does a model answer? [none yet]: ', '', wrongEndpoint);
  if (url === null) return null;
  if (url === '') return { ...chosen, endpoint: null };
  const name = await answerTo('Its name there [custom]: ', 'custom', () => null);
  return name === null ? null : { ...chosen, endpoint: { url, name } };
}
