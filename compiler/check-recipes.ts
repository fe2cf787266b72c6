/** Checks of `environments`. */
import { globProblem, globToRegExp, isLiteral } from '../basics/glob.ts';
import type { MatchConfig, RecipeConfig, ServiceConfig } from '../schemas/generated/project.ts';
import { DEFAULT_ECOSYSTEM } from '../schemas/recipe.ts';
import type { CheckContext, Draft } from './check-context.ts';
import { find } from './tree.ts';

const RELATIVE = 'paths are relative to the file that names them';
const ELSEWHERE = 'check it; it may exist where the project is built';

type DraftRecipe = Draft<RecipeConfig>;
const GLOBS = ['repo', 'instance', 'image', 'version'] as const;

export function checkRecipes(context: CheckContext): void {
  const recipes = context.draft.environments?.recipes ?? [];
  recipes.forEach((recipe, index) => {
    if (recipe === null) return;
    const path = ['environments', 'recipes', `${index}`];
    checkGlobs([...path, 'match'], recipe.match ?? {}, context);
    const written = find(context.root, path);
    if (written?.kind === 'map' && written.entries.size === 1 && recipe.match !== undefined)
      context.report(
        'W202',
        [...path, 'match'],
        'the recipe has no key beside match',
        'add python, install, test or another key',
        'key',
      );
    if (recipe.freeze !== undefined && !context.exists(recipe.freeze))
      context.report('W201', [...path, 'freeze'], `"${recipe.freeze}" does not exist`, RELATIVE);
    if (recipe.witness === 'none' && (recipe.ecosystem ?? DEFAULT_ECOSYSTEM) === DEFAULT_ECOSYSTEM)
      context.report(
        'E132',
        [...path, 'witness'],
        'the recipe is for python, whose tests always have a witness',
        'name another ecosystem in this recipe, or remove witness',
      );
    checkServices([...path, 'background'], recipe.background ?? [], context);
    checkReachable(path, recipe, recipes.slice(0, index), context);
  });
  checkTrees(context);
  for (const [version, file] of Object.entries(context.draft.environments?.python?.versions ?? {})) {
    const path = ['environments', 'python', 'versions', version];
    if (file !== undefined && !context.exists(file))
      context.report('W201', path, `"${file}" does not exist`, ELSEWHERE);
  }
}

function checkServices(
  path: string[],
  services: readonly (Draft<ServiceConfig> | null)[],
  { report }: CheckContext,
): void {
  services.forEach((service, index) => {
    if (service === null) return;
    const { name, port, ready } = service;
    const at = [...path, `${index}`];
    if (port === undefined && ready === undefined)
      report('E104', at, 'it does not say when the service is ready', 'add port, or a command ready');
    if (services.slice(0, index).some((one) => one?.name === name))
      report('E126', [...at, 'name'], `there is a service "${name}" above`, 'give it another name');
  });
}

function checkTrees({ draft, exists, report }: CheckContext): void {
  const { provider, trees, channels = [] } = draft.environments?.python ?? {};
  const path = ['environments', 'python'];
  if (provider === 'conda' && trees === undefined && channels?.length === 0)
    report(
      'E104',
      [...path, 'provider'],
      'conda needs channels, or trees, a folder with <version>/miniconda3',
      'add channels or trees',
    );
  if (provider !== 'conda' && channels !== null && channels.length > 0)
    report(
      'E104',
      [...path, 'channels'],
      'channels are for the provider conda',
      'write provider: conda, or remove channels',
    );
  if (trees !== undefined && !exists(trees))
    report('W201', [...path, 'trees'], `"${trees}" does not exist`, ELSEWHERE);
}

function checkGlobs(path: string[], match: Draft<MatchConfig>, { report }: CheckContext): void {
  for (const key of GLOBS) {
    const wrong = match[key] === undefined ? null : globProblem(match[key]);
    if (wrong !== null)
      report(
        'E115',
        [...path, key],
        `not a glob: ${wrong}`,
        'write \\ before a character that is meant literally',
      );
  }
}

function checkReachable(
  path: string[],
  recipe: DraftRecipe,
  earlier: (DraftRecipe | null)[],
  { report }: CheckContext,
): void {
  const match = recipe.match;
  if (match === undefined) return;
  const same = earlier.findIndex((one) => one?.match !== undefined && sameMatch(one.match, match));
  if (same >= 0) {
    report(
      'E126',
      [...path, 'match'],
      `recipes[${same}] has the same match`,
      'make one recipe of the two',
      'key',
    );
    return;
  }
  const above = earlier.findIndex(
    (one) => one?.match !== undefined && covers(one.match, match) && saysAll(one, recipe),
  );
  if (above < 0) return;
  const message = `recipes[${above}] matches all that this one matches, and has all its keys: it is never used`;
  report('W204', [...path, 'match'], message, 'put the narrower recipe first', 'key');
}

function sameMatch(a: Draft<MatchConfig>, b: Draft<MatchConfig>): boolean {
  return GLOBS.every((key) => (a[key] ?? '*') === (b[key] ?? '*'));
}

/** True only when it is certain that `wide` matches whatever `narrow` does. */
function covers(wide: Draft<MatchConfig>, narrow: Draft<MatchConfig>): boolean {
  return GLOBS.every((key) => {
    const [outer, inner] = [wide[key] ?? '*', narrow[key] ?? '*'];
    return outer === '*' || outer === inner || (isLiteral(inner) && globToRegExp(outer).test(inner));
  });
}

function saysAll(above: DraftRecipe, below: DraftRecipe): boolean {
  return Object.keys(below).every((key) => key in above);
}
