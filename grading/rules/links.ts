/**
 * Checks symbolic links that a patch makes. A link inside the repository to a file that decides nothing is allowed.
 * Others are restored: they lead to what decides the tests, or out of the repository. One into `.git` is refused.
 */
import { ancestors, unsafeName } from '../../patches/names.ts';
import type { Protection } from './protect.ts';

/** What is wrong with a link; null for nothing. `isLink`: whether a name is a symbolic link, before or after the patch. */
export function checkLink(
  path: string,
  target: string,
  protection: Protection,
  isLink: (path: string) => boolean,
): { kind: 'dropped' | 'refused'; why: string } | null {
  const place = linkTarget(path, target);
  if (place === null) return { kind: 'dropped', why: `${path} leads out of the repository` };
  const why = place === '' ? null : unsafeName(place);
  if (why !== null) return { kind: 'refused', why: `${path} leads to a place ${why}` };
  if (leadsToProtected(place, protection))
    return { kind: 'dropped', why: `${path} leads to what decides the tests` };
  if (ancestors(place).some(isLink)) return { kind: 'dropped', why: `${path} leads through another link` };
  return null;
}

/** Where the repository lies in every workspace. */
const ROOT = '/testbed/';

/** The path in the repository to which the link leads, `''` for its root; null when it leads out, or may do so. */
export function linkTarget(path: string, target: string): string | null {
  const isFull = target.startsWith(ROOT);
  if (target === '' || target.includes('\0') || (target.startsWith('/') && !isFull)) return null;
  const place = isFull ? [] : path.split('/').slice(0, -1);
  let hasName = isFull;
  for (const part of (isFull ? target.slice(ROOT.length) : target).split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') {
      place.push(part);
      hasName = true;
    } else if (hasName || place.pop() === undefined) return null; // the name before it may be another link
  }
  return place.join('/');
}

function leadsToProtected(place: string, protection: Protection): boolean {
  if (place === '') return true;
  if (protection.reasonOf(place) !== null || protection.reasonOf(`${place}/x`) !== null) return true;
  return [...protection.tests, ...protection.folders].some((path) => path.startsWith(`${place}/`));
}
