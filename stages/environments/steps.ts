/**
 * The steps of an environment's build, in order: create it, then what the recipe says. Pure; each step is one
 * bash command of its own, so the first that fails ends the build with its name, log, exit code and time.
 */

import type { BuildRecipe } from '../../schemas/recipe.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';

export interface BuildStep {
  /** `install[0]`: the recipe key and the place in it. */
  name: string;
  command: string;
  /** Made of nothing but the interpreter and our tools: what the recipe says has no part in how it ends. */
  isOurs: boolean;
}

/** Steps of `recipe` after the provider's own, which make the environment. */
export function buildSteps(
  recipe: BuildRecipe,
  { createCommands, installCommand }: Pick<PreparedPython, 'createCommands' | 'installCommand'>,
): BuildStep[] {
  const steps: BuildStep[] = [];
  const add = (name: string, commands: readonly string[]) =>
    steps.push(
      ...commands.map((command, index) => ({
        name: `${name}[${index}]`,
        command,
        isOurs: name === 'create',
      })),
    );
  add('create', createCommands);
  add('pre_install', recipe.pre_install);
  if (recipe.freeze !== undefined) add('freeze', freezeCommands(recipe.freeze, installCommand));
  add(
    'packages',
    recipe.packages.map((file) => `${installCommand} -r ${quoted(file)}`),
  );
  if (recipe.pip.length > 0) add('pip', [`${installCommand} ${recipe.pip.map(quoted).join(' ')}`]);
  add('install', recipe.install);
  return steps;
}

/** Pins as they are: an image made by conda need not satisfy what its packages say of each other. */
function freezeCommands(lines: readonly string[], installCommand: string): string[] {
  const pins = lines.filter((line) => !line.startsWith('#'));
  const left = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
  const note = `echo ${quoted(`left out, as they say no version: ${left.join(', ')}`)}`;
  return [
    ...(left.length === 0 ? [] : [note]),
    ...(pins.length === 0 ? [] : [`${installCommand} --no-deps ${pins.map(quoted).join(' ')}`]),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The line of a failed step's output that says most: pip's error line, else the last one. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^\s*(?:ERROR|error)\b[: ](?!\s*ResolutionImpossible)/.test(line));
  return (errors.at(-1) ?? lines.at(-1) ?? 'it wrote nothing').trim().slice(0, 300);
}
