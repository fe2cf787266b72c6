/** Which keys of a recipe bring modules of Python that are missing. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { named } from '../../basics/named.ts';
import { type Result, success } from '../../basics/result.ts';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Recipe } from '../../schemas/recipe.ts';
import { isOfPython, packageOf } from '../../stages/filter/hints.ts';
import { sourcesOf } from './propose-recipe.ts';
import { extrasOf, type Holder, holdersOf, type PackageSource, withExtra } from './sources.ts';

/** What would help against errors that name missing modules; null: they name none. */
export type Lacking = (text: string) => string | null;

/** For errors of the code in a folder, which is read now. `python` is the absolute path of an interpreter. */
export async function lackingIn(
  folder: string,
  given: { recipe: Recipe; python: string; signal?: AbortSignal | undefined },
): Promise<Result<Lacking, Infra>> {
  const { recipe } = given;
  if (ecosystemNamed(recipe.ecosystem).build !== null) return success(() => null);
  const sources = await sourcesOf(folder, given);
  if (!sources.ok) return sources;
  const names = [folder, join(folder, 'src')].flatMap((root) => (existsSync(root) ? readdirSync(root) : []));
  const own = new Set(names.map((name) => name.replace(/\.py$/, '')));
  return success((text) => helpAgainst(missingIn(text, own), recipe, sources.value));
}

/** The modules whose packages are missing, without those that another Python has. `own`: names of the repository. */
function missingIn(text: string, own: ReadonlySet<string>): string[] {
  const modules = [...text.matchAll(/No module named '([\w.]+)/g)].map(([, module]) => module!);
  const tops = modules.filter((module) => !isOfPython(module)).map((module) => module.split('.')[0]!);
  return [...new Set(tops)].filter((top) => !own.has(top));
}

function helpAgainst(
  missing: readonly string[],
  { install, pip }: Pick<Recipe, 'install' | 'pip'>,
  sources: readonly PackageSource[],
): string | null {
  if (missing.length === 0) return null;
  const holders = holdersOf(missing, sources);
  const held = new Set(holders.flatMap(({ modules }) => modules));
  const places = holders.map(({ source, modules }) => `${source.place} has ${named(modules)}`);
  const asked = new Set(install.flatMap(extrasOf));
  // At a commit whose files are others, an extra that is installed may have less.
  const isNew = ({ source }: Holder) => source.isExtra && !asked.has(source.name);
  const extras = holders.filter(isNew);
  const installed = withExtra(
    install,
    extras.map(({ source }) => source.name),
  );
  const others = installed === null ? holders : holders.filter((one) => !isNew(one));
  const added = [
    ...others.flatMap(({ requirements }) => requirements),
    ...missing.filter((module) => !held.has(module)).map(packageOf),
  ];
  const keys = [
    ...(installed === null || extras.length === 0 ? [] : [`install: ${JSON.stringify(installed)}`]),
    ...(added.length === 0 ? [] : [`pip: ${JSON.stringify([...pip, ...added])}`]),
  ].map((key) => `\`${key}\``);
  const what = `${keys.join(' and ')} in the recipe`;
  return places.length === 0 ? what : `${what}, since ${places.join(', and ')}`;
}
