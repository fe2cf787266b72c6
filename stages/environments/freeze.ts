/**
 * Pins from `pip freeze`, such as that of an image: a recipe of the project names the file, and its lines are
 * installed as they are. The most faithful way to an environment whose packages were never written down otherwise.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Json } from '../../basics/canonical.ts';
import { fault, success } from '../../basics/result.ts';
import type { Services } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { ReadRule } from './recipe.ts';
import { builtInRecipes } from './recipe.ts';

/** The project's rules, their files read once per run. One that is gone is a fault of {@link freezeFault}. */
const recipeRules = perRun((services: Services): ReadRule[] => {
  const { python, recipes } = services.config.environments;
  const rules: ReadRule[] = recipes.map(({ freeze, ...rule }) =>
    freeze === undefined ? rule : { ...rule, freeze: freezeLines(readFile(freeze, services) ?? '') },
  );
  // What holds for recipes that say nothing of it.
  if (python.as_of !== 'none') rules.push({ match: {}, as_of: python.as_of });
  return rules;
});

/** The rules of the project with the lines of their files, and what is built in here. A fault names a lost file. */
export const RECIPES: QuestionKind<null, Json> = {
  name: 'recipes',
  // Read once per run: what is remembered of a build is what it saw.
  changes: false,
  async answer(_, services) {
    const gone = freezeFault(services);
    if (gone !== null) return fault(gone);
    return success({ rules: recipeRules(services), built_in: builtInRecipes() } as unknown as Json);
  },
};

/** A fault that names a file that is not there, or null. */
function freezeFault(services: Services): Infra | null {
  const gone = freezeFiles(services).find((file) => readFile(file, services) === null);
  return gone === undefined ? null : infra('tool-missing', `recipe key freeze: there is no file ${gone}`);
}

function freezeFiles(services: Services): string[] {
  return services.config.environments.recipes.flatMap(({ freeze }) => freeze ?? []);
}

/** The lines that say something, sorted; what has no version to install begins with `#`. */
export function freezeLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const said = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return [...new Set(said.map((line) => (PIN.test(line) ? line : `# ${line}`)))].sort();
}

const PIN = /^[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*===?\s*[\w.!+*-]+\s*(?:;.*)?$/;

/** Read once per run: what is remembered of a build is what it saw, also of a file that was edited meanwhile. */
function readFile(path: string, services: Services): string | null {
  const known = files(services);
  if (!known.has(path)) known.set(path, contentOf(resolve(services.projectFolder, path)));
  return known.get(path)!;
}

const files = perRun((_: Services) => new Map<string, string | null>());

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
