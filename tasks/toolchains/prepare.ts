/** What builds of other ecosystems than Python are made with: the layers of their toolchains, and their steps. */
import { dirname } from 'node:path';
import { canonicalJson } from '../../basics/canonical.ts';
import { type Digest, digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { Registry } from '../../contract/build-index.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { EcosystemBuild } from '../../ecosystems/kind.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { stepsOf } from '../../ecosystems/steps.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { type BuildRecipe, DEFAULT_ECOSYSTEM } from '../../schemas/recipe.ts';
import { layerDamage } from '../layer-damage.ts';
import type { PreparedPython } from '../python/provider.ts';

/** The part of a recipe that names an ecosystem other than Python. */
export type Ecosystem = { ecosystem: string; toolchain: Record<string, string> };

/** null: environments are made by the Python provider. */
export function ecosystemOf(recipe: Partial<Ecosystem>): Ecosystem | null {
  const { ecosystem = DEFAULT_ECOSYSTEM, toolchain = {} } = recipe;
  return ecosystemNamed(ecosystem).build === null ? null : { ecosystem, toolchain };
}

export function buildOf({ ecosystem }: Ecosystem): EcosystemBuild {
  return ecosystemNamed(ecosystem).build!;
}

/** Names the steps that build an environment by a recipe, each with the texts that it writes. */
export function ecosystemSteps(own: Ecosystem, recipe: BuildRecipe): Digest {
  return digestOf(canonicalJson(stepsOf(buildOf(own), recipe)));
}

/** The same as a question, so that a stage that was finished by other code is looked at again; null: Python's, for which the stage's version stands. */
export const STEPS: QuestionKind<BuildRecipe, Digest | null> = {
  name: 'steps',
  changes: false,
  async answer(recipe) {
    const own = ecosystemOf(recipe);
    return success(own === null ? null : ecosystemSteps(own, recipe));
  },
};

/** Variables of every command in environments of a recipe, beside those of all environments. */
export function variablesOf(
  recipe: Partial<Ecosystem>,
  has?: (path: string) => boolean,
): Record<string, string> {
  const wanted = ecosystemOf(recipe);
  return wanted === null ? {} : buildOf(wanted).variables(wanted.toolchain, has);
}

/** Host folders of toolchains' layers. */
export async function openToolchains(
  layers: readonly Digest[],
  services: HostServices,
): Promise<Result<string[], Infra>> {
  const folders: string[] = [];
  for (const layer of layers) {
    const folder = await services.cache.layers.open(layer);
    const problem = folder === null ? 'it is gone' : await layerDamage(layer, services);
    if (folder === null || problem !== null)
      return fault(infra('output-lost', `layer ${layer} of a toolchain: ${problem}; build again`));
    folders.push(folder);
  }
  return success(folders);
}

/** In the form of what the Python provider prepares. */
export function preparedEcosystem(wanted: Ecosystem, registry: Registry | null): PreparedPython {
  const build = buildOf(wanted);
  return {
    mounts: [],
    links: {},
    variables: {
      ...build.variables(wanted.toolchain),
      ...registry?.variables,
      ...(registry === null ? {} : clientLines(registry)),
      ...build.stepVariables,
    },
    createCommands: [],
    steps: (recipe) => stepsOf(build, recipe),
    ...(build.dialect === null ? {} : { dialect: build.dialect }),
    ...(build.reads === undefined ? {} : { reads: build.reads }),
    installCommand: ':',
    separate: () => [],
    listCommand: build.listCommand,
    mend: async () => null,
  };
}

/** Lines of bash for steps whose clients read no variables: they write the registry's files into the home folder. */
function clientLines({ files, prelude }: Registry): Record<string, string> {
  if (prelude === '') return {};
  const written = Object.entries(files).map(
    ([path, text]) =>
      `mkdir -p ~/${shellWord(dirname(path))}; printf %s ${shellWord(text)} > ~/${shellWord(path)}`,
  );
  return { SWEMAKE_CLIENT: [...written, prelude].join('\n') };
}
