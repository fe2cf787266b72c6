/** Globs of runners, which may be made to take time. */
import { globToRegExp } from '../../basics/glob.ts';

const MAX_ALTERNATIVES = 200;

/**
 * `**` + `/` also stands for no folder, and `@(a|b)` for one of its parts. What stands between stars is looked for from left to right, so
 * the time grows with the lengths alone. Null: too many alternatives.
 */
export function matcherOf(folder: string, glob: string): ((path: string) => boolean) | null {
  const plain = glob
    .replace(/\?\(([^()]*)\)/g, (_, parts: string) => `{,${parts.replaceAll('|', ',')}}`)
    .replace(/[@+*]\(([^()]*)\)/g, (_, parts: string) => `{${parts.replaceAll('|', ',')}}`)
    .replaceAll('**/', '*');
  const globs = alternativesOf(plain);
  if (globs === null) return null;
  const prefix = folder === '' ? '' : `${folder}/`;
  const matchers = globs.map(simpleMatcher);
  return (path) => path.startsWith(prefix) && matchers.some((matches) => matches(path.slice(prefix.length)));
}

function alternativesOf(glob: string): string[] | null {
  const done: string[] = [];
  const open = [glob];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const [group, list] = /\{([^{}]*)\}/.exec(one) ?? [];
    if (group === undefined) done.push(one);
    else for (const part of list!.split(',')) open.push(one.replace(group, () => part));
    if (done.length + open.length > MAX_ALTERNATIVES) return null;
  }
  return done;
}

/** Of a glob without alternatives. */
function simpleMatcher(glob: string): (path: string) => boolean {
  const parts = glob.split(/\*+/).map((part) => globToRegExp(part).source.slice('^(?:'.length, -')$'.length));
  const first = new RegExp(`^(?:${parts[0]})${parts.length === 1 ? '$' : ''}`, 'su');
  const last = new RegExp(`(?:${parts.at(-1)})$`, 'gsu');
  const middle = parts.slice(1, -1).map((part) => new RegExp(part, 'gsu'));
  return (path) => {
    const begin = first.exec(path);
    if (begin === null || parts.length === 1) return begin !== null;
    let at = begin[0].length;
    for (const part of middle) {
      part.lastIndex = at;
      if (part.exec(path) === null) return false;
      at = part.lastIndex;
    }
    last.lastIndex = at;
    return last.test(path);
  };
}
