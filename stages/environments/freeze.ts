/**
 * Pins from `pip freeze`, such as that of an image. A recipe of the project names the file, and its lines are
 * installed as they are. This is the most faithful way to an environment whose packages were never written down.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import type { Json } from '../../basics/canonical.ts';
import { fault, success } from '../../basics/result.ts';
import type { Services } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { ReadRule } from './recipe.ts';
import { builtInRecipes } from './recipe.ts';

/**
 * The project's rules, with the lines of their files, read once per run. A missing file is a fault of {@link
 * freezeFault}.
 */
const recipeRules = perRun((services: Services): ReadRule[] => {
  const { python, recipes } = services.config.environments;
  const rules: ReadRule[] = recipes.map(({ freeze, ...rule }) =>
    freeze === undefined ? rule : { ...rule, freeze: freezeLines(readFile(freeze, services) ?? '') },
  );
  // For recipes without an as_of of their own.
  if (python.as_of !== 'none') rules.push({ match: {}, as_of: python.as_of });
  return rules;
});

/** The rules of the project with the lines of their files, and the built-in rules. A missing file is a fault. */
export const RECIPES: QuestionKind<null, { rules: ReadRule[]; built_in: Json }> = {
  name: 'recipes',
  // Read once per run, so that all builds of the run see the same.
  changes: false,
  async answer(_, services) {
    const gone = freezeFault(services);
    if (gone !== null) return fault(gone);
    return success({ rules: recipeRules(services), built_in: builtInRecipes() });
  },
};

/** A fault that names a missing file, or null. */
function freezeFault(services: Services): Infra | null {
  const gone = freezeFiles(services).find((file) => readFile(file, services) === null);
  return gone === undefined ? null : infra('tool-missing', `recipe key freeze: there is no file ${gone}`);
}

function freezeFiles(services: Services): string[] {
  return services.config.environments.recipes.flatMap(({ freeze }) => freeze ?? []);
}

/** The lines with content, sorted. A line without a version to install begins with `#`. */
export function freezeLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const requirements = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return [...new Set(requirements.map((line) => (PIN.test(line) ? line : `# ${line}`)))].sort();
}

const PIN = /^[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?\s*===?\s*[\w.!+*-]+\s*(?:;.*)?$/;

/** Read once per run, so that an edit during the run changes nothing for it. */
function readFile(path: string, services: Services): string | null {
  const known = files(services);
  if (!known.has(path)) known.set(path, contentOf(resolve(services.projectFolder, path)));
  return known.get(path)!;
}

const files = perRun((_: Services) => new Map<string, string | null>());

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return whenAbsent(null)(error);
  }
}
