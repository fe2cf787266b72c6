/**
 * Resolves a recipe. For each key the first source that has it wins: the dataset row, project rules in their order,
 * the built-in recipe of the version, the built-in profile, the ecosystem, the default.
 */
import { canonicalJson } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { matchesGlob } from '../../basics/glob.ts';
import type { RecipeRule } from '../../contract/config.ts';
import { ECOSYSTEMS, ecosystemNamed } from '../../ecosystems/registry.ts';
import { parseMirrorName } from '../../formats/mirror-name.ts';
import { PARSER_OF_REPO } from '../../parsers/registry.ts';
import { DEFAULT_ECOSYSTEM, type PartialRecipe, type Recipe } from '../../schemas/recipe.ts';
import type { InstanceGroup } from '../dataset/blocks/catalogue.ts';
import { BENCHMARK_RECIPES, benchmarkRecipe } from './benchmark-recipes.ts';
import { PROFILES, profileOf } from './profiles.ts';

/** The recipe of a plain Python project: SWE-smith's default, with the names of all tests in the log. */
export const DEFAULT_RECIPE: Recipe = {
  ecosystem: DEFAULT_ECOSYSTEM,
  toolchain: {},
  python: null,
  as_of: 'none',
  system: [],
  submodules: [],
  pre_install: [],
  freeze: [],
  packages: [],
  pip: ['pytest'],
  install: ['python -m pip install -e .'],
  install_after_patch: true,
  env: {},
  start_commands: [],
  background: [],
  eval_commands: [],
  eval_script: false,
  test: 'pytest --disable-warnings --color=no --tb=no -rA -p no:cacheprovider',
  parser: 'pytest',
  build_timeout: 1800,
  timeout: 1800,
};

/** `build` and `witness` have no default: without them the ecosystem says what is built, and its witness watches. */
const KEYS = [...Object.keys(DEFAULT_RECIPE), 'build', 'witness'] as (keyof Recipe)[];

/** The recipe of the instance `id` of `group`. */
export function resolveRecipe(group: InstanceGroup, id: string, rules: readonly ReadRule[]): Recipe {
  const matching = rules.filter((rule) => appliesTo(rule, group, id));
  const upstream = upstreamName(group.repo);
  const given: PartialRecipe[] = [
    group.recipe,
    ...matching,
    // A rule for this version that names a Python is a whole recipe: pins of another one would not fit it.
    ...(matching.some(isWhole) ? [] : [benchmarkRecipe(upstream, group.version) ?? {}]),
    profileOf(group.repo, upstream),
  ];
  const ecosystem = given.find((source) => source.ecosystem !== undefined)?.ecosystem ?? DEFAULT_ECOSYSTEM;
  const sources = [...given, ecosystemNamed(ecosystem).recipe, DEFAULT_RECIPE];
  const recipe: Record<string, unknown> = {};
  for (const key of KEYS) {
    const value = sources.find((source) => source[key] !== undefined)?.[key];
    if (value !== undefined) recipe[key] = value;
  }
  return recipe as unknown as Recipe;
}

/**
 * A digest of the built-in recipes, for keys of whole stages. An item's key has its own resolved recipe, so a profile
 * that is added or corrected changes only the items that it is about.
 */
export function builtInRecipes(): Digest {
  return digestOf(
    canonicalJson([
      DEFAULT_RECIPE,
      PROFILES,
      BENCHMARK_RECIPES,
      PARSER_OF_REPO,
      ...ECOSYSTEMS.map(({ recipe }) => recipe),
    ]),
  );
}

/** True when a rule names instances one by one, so that instances of one group may differ. */
export function looksAtInstances(rules: readonly ReadRule[]): boolean {
  return rules.some((rule) => rule.match.instance !== undefined);
}

/** True for rules such as `import-recipes` writes. */
function isWhole({ match, python }: ReadRule): boolean {
  return match.version !== undefined && python !== undefined;
}

function appliesTo(rule: ReadRule, group: InstanceGroup, id: string): boolean {
  const { repo, instance, image, version } = rule.match;
  return (
    (says(repo, group.repo) || says(repo, upstreamName(group.repo))) &&
    says(instance, id) &&
    says(image, group.environment_name) &&
    says(version, group.version ?? '')
  );
}

/** `owner/name` of the upstream of a SWE-smith mirror, so that one rule fits the rows of every format. */
function upstreamName(repo: string): string {
  const mirror = parseMirrorName(repo);
  return mirror === null ? repo : `${mirror.owner}/${mirror.name}`;
}

function says(glob: string | undefined, text: string): boolean {
  return glob === undefined || matchesGlob(glob, text);
}

/** A rule of the project, with the lines of its freeze file in place of the file's name. */
export type ReadRule = Omit<RecipeRule, 'freeze'> & { freeze?: string[] };
