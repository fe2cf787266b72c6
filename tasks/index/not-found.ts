/**
 * What a failed step says that it did not find on the package index. Only lines by which pip, uv and setuptools say so count:
 * a step may print anything, so what is read here is compared with the pages that were asked for.
 */
import { normaliseName } from '../source/package-index.ts';

export interface Wanted {
  /** As indexes spell it. */
  project: string;
  /** The one version that was asked for; null for any, or for a range. */
  version: string | null;
}

const LINES: readonly RegExp[] = [
  // pip; setuptools, which older projects run.
  /No matching distribution found for|Could not find a version that satisfies the requirement/,
  /No local packages or working download links found for|Could not find suitable distribution for/,
  // uv.
  /was not found in the package registry|were not found in the package registry/,
  /there (?:is|are) no versions? of |(?:is|are) available\b.* require|only .* (?:is|are) available/,
];

/** A name with what is asked of its version. */
const REQUIREMENT =
  /([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)(?:\[[^\]]*\])?(?:\s*(===?|[<>~!]=?)\s*([\w.!+*-]+))?/g;

/** Most of them are words of the message; `isAsked` knows which names are projects that were asked for. */
export function notFoundIn(output: string, isAsked: (project: string) => boolean): Wanted[] {
  const found = new Map<string, Wanted>();
  for (const line of output.split('\n')) {
    if (!LINES.some((pattern) => pattern.test(line))) continue;
    for (const [, name, operator, version] of line.matchAll(REQUIREMENT)) {
      const project = normaliseName(name!);
      if (!isAsked(project)) continue;
      const isExact = /^===?$/.test(operator ?? '') && version !== undefined && !version.includes('*');
      const wanted = { project, version: isExact ? version.replace(/[.,]+$/, '') : null };
      const before = found.get(project);
      // Where several lines name it, the exact version says most.
      if (before === undefined || before.version === null) found.set(project, wanted);
    }
  }
  return [...found.values()];
}
