/** Writes recipes as a project file that others extend. What could not be imported is in comments. */
import type { ImportedRecipe } from './imported-recipes.ts';

/** A recipe as it is written: with the names of files, where a recipe that was read has their lines. */
export type WrittenRecipe = Omit<ImportedRecipe, 'recipe'> & { recipe: object };

/** `origin` names what the recipes were made from, `leftOut` repositories that no ecosystem builds. */
export function recipesYaml(
  recipes: readonly WrittenRecipe[],
  origin: string,
  leftOut: readonly string[] = [],
): string {
  const lines = [
    `# ${recipes.length} ${recipes.length === 1 ? 'recipe' : 'recipes'} of ${origin}, made by swemake import-recipes.`,
    '# Use: extends: [this file]. A project that has environments.recipes of its own replaces this list.',
    ...(leftOut.length === 0
      ? []
      : [`# Without a recipe, since swemake has no ecosystem that builds them: ${leftOut.join(', ')}.`]),
    'environments:',
    '  recipes:',
  ];
  for (const { match, recipe, notes } of recipes) {
    for (const note of notes)
      lines.push(`    # ${note.replaceAll(/\s*\n\s*/g, ' ; ').replaceAll(CONTROL, '\ufffd')}`);
    const members = Object.entries(match).map(([key, value]) => `${key}: ${text(value)}`);
    lines.push(`    - match: { ${members.join(', ')} }`);
    for (const [key, value] of Object.entries(recipe)) lines.push(...keyLines(key, value));
  }
  return `${lines.join('\n')}\n`;
}

function keyLines(key: string, value: unknown): string[] {
  if (!Array.isArray(value)) return [`      ${key}: ${text(value)}`];
  const flow = `      ${key}: [${value.map(text).join(', ')}]`;
  if (flow.length <= 110) return [flow];
  return [`      ${key}:`, ...value.map((one) => `        - ${text(one)}`)];
}

/** No YAML has them, but for those that JSON escapes. */
const CONTROL = /\p{Cc}/gu;

/** JSON text is YAML; `${env:` would be taken for a variable of the project. */
function text(value: unknown): string {
  return JSON.stringify(
    typeof value === 'string' ? value.replaceAll(/\$\{(?=env:|secret:)/g, '$$$${') : value,
  ).replaceAll(CONTROL, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
