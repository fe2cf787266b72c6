/**
 * Finds the moment that a recipe's `as_of` means for a source. `commit` means the day of the commit. If the recipe pins a
 * later release, as tables of recipes do, `commit` means the day of that release.
 */
import { fault, success } from '../../basics/result.ts';
import type { BuildIndex } from '../../contract/build-index.ts';
import type { PinnedSource } from '../../schemas/instance.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { commitTime, type GitDeps } from '../source/git-mirror.ts';
import { parseSpec } from '../source/spec.ts';
import { dayOf, momentOf } from './as-of.ts';

export interface Moment {
  /** As the index knows it; null for the index as it is. */
  asOf: string | null;
  /** Why the moment differs from `as_of`; null: no difference. */
  because: string | null;
}

export interface MomentDeps {
  index: Pick<BuildIndex, 'uploaded'>;
  git: GitDeps;
}

export async function momentFor(
  recipe: BuildRecipe,
  source: PinnedSource,
  deps: MomentDeps,
): Attempt<Moment> {
  const { as_of: asOf = 'none' } = recipe;
  if (asOf === 'none') return success({ asOf: null, because: null });
  if (asOf !== 'commit') {
    if (momentOf(asOf) !== null) return success({ asOf, because: null });
    return fault(
      infra('tool-missing', `recipe key as_of: "${asOf}" is not a day, a time with its zone, commit or none`),
    );
  }
  const made = await madeAt(source, deps);
  if (!made.ok) return made;
  if (made.value === null) return success({ asOf: null, because: `the date of ${source.spec} is unknown` });
  let [latest, because]: [number, string | null] = [made.value, null];
  for (const { project, version } of pinsOf(recipe)) {
    const uploaded = await deps.index.uploaded(project, version);
    if (!uploaded.ok) return uploaded;
    if (uploaded.value === null || uploaded.value <= latest) continue;
    latest = uploaded.value;
    because = `the commit is of ${dayOf(made.value)}, and the recipe pins ${project} ${version}, which came later`;
  }
  return success({ asOf: dayOf(latest), because });
}

/**
 * When the source was made, in milliseconds since 1970: a commit's committer date, or the time of a release's first file. Null: an
 * archive, or a release that no index has.
 */
async function madeAt({ spec, digest }: PinnedSource, { index, git }: MomentDeps): Attempt<number | null> {
  const parsed = parseSpec(spec);
  if (!parsed.ok) return parsed;
  const source = parsed.value;
  if (source.kind === 'git') return commitTime(source.url, digest.replace(/^git:/, ''), git);
  return source.kind === 'pypi' ? index.uploaded(source.name, source.version) : success(null);
}

export interface Pin {
  project: string;
  version: string;
}

/** The releases that a recipe names, in its requirements and in its commands. */
export function pinsOf({ pip, freeze = [], pre_install, install }: BuildRecipe): Pin[] {
  const found = [
    ...[...pip, ...freeze].flatMap((line) => [...line.replace(/;.*/, '').matchAll(PIN)]),
    ...[...pre_install, ...install].flatMap((command) => [...command.matchAll(PIN_IN_COMMAND)]),
  ];
  const pins = found.map(([, project, version]) => ({ project: project!, version: version! }));
  return [...new Map(pins.map((pin) => [`${pin.project}==${pin.version}`, pin])).values()];
}

const PIN = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*===?\s*([\w.!+-]+)(?![\w.!+*-])/g;
const PIN_IN_COMMAND = /(?<![\w.$/-])([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?===?([0-9][\w.!+-]*)(?![\w.!+*-])/g;
