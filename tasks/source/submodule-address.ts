/**
 * Where a submodule is fetched from. Its address stands in a commit of other people and is read with the rights of the
 * user: a path of this machine would bring private files into a workspace, and other helpers of git run programs. So only
 * https, ssh and what is relative are taken.
 */
import { posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fault, type Result, success } from '../../basics/result.ts';
import { type InvalidRow, invalidRow, withoutCredentials } from './fault.ts';

export interface SubmoduleAddress {
  url: string;
  /** What git may use to fetch it, as GIT_ALLOW_PROTOCOL has it. */
  protocols: string;
}

const OVER_NETWORK = 'https:ssh';
const REMEDY = 'write https or ssh there, or leave it out of `submodules`';
const DOTS = /^\.\.?\//;

/**
 * @param path of the submodule, for messages.
 * @param url as `.gitmodules` has it.
 * @param above address of the repository that has it, which relative ones begin at. Beside a repository of this machine
 *   they are folders of this machine, but only below the folder in which that repository lies.
 */
export function submoduleAddress(
  path: string,
  url: string,
  above: string,
): Result<SubmoduleAddress, InvalidRow> {
  const refuse = (why: string) =>
    fault(invalidRow(`submodule ${path}: its address "${withoutCredentials(url)}" ${why}; ${REMEDY}`));
  // A line end or another control character would be read in two ways.
  if (/[\x00-\x20\x7f]/.test(url)) return refuse('holds blanks or control characters');
  if (!DOTS.test(url))
    return isOverNetwork(url)
      ? success({ url, protocols: OVER_NETWORK })
      : refuse('is neither https nor ssh nor relative');
  if (/^file:/i.test(above)) {
    const folder = folderBeside(url, above);
    return folder === null
      ? refuse(`leads out of the folder of the repository above`)
      : success({ url: folder, protocols: 'file' });
  }
  const joined = joinedTo(above, url);
  if (!isOverNetwork(joined))
    return refuse(`comes to "${withoutCredentials(joined)}", which is neither https nor ssh`);
  return hostOf(joined) === hostOf(above)
    ? success({ url: joined, protocols: OVER_NETWORK })
    : refuse('leads out of the machine of the repository above');
}

/** https, ssh, and the short form of ssh. A host that begins with a dash would be an option of ssh. */
function isOverNetwork(url: string): boolean {
  const inUrl = /^(?:https|ssh):\/\/(?:[^/?#]*@)?([^/?#@:]+)(?::\d+)?\//i.exec(url)?.[1];
  const host = inUrl ?? /^[\w.][\w.-]*@([\w.-]+):(?!:)/.exec(url)?.[1];
  return host !== undefined && !host.startsWith('-') && !/^[\w.-]*::|:\/\/-/.test(url);
}

function hostOf(url: string): string {
  return /^(?:[a-z+]+:\/\/)?([^/:]*(?::\d+)?)/i.exec(url)?.[1]?.toLowerCase() ?? '';
}

/** As git joins them: each `../` takes away one part of the address. */
function joinedTo(above: string, url: string): string {
  let base = above.replace(/\/+$/, '');
  let rest = url;
  for (let step = DOTS.exec(rest); step !== null; step = DOTS.exec(rest)) {
    rest = rest.slice(step[0].length);
    if (step[0] === '../') base = base.replace(/\/[^/]*$|(?<=:)[^/:]*$/, '');
  }
  return `${base}${base.endsWith(':') ? '' : '/'}${rest}`;
}

/** The folder as a file URL; null for one elsewhere. Git reads `%2e` as a dot. */
function folderBeside(url: string, above: string): string | null {
  let own: string;
  let rest: string;
  try {
    own = fileURLToPath(above);
    rest = decodeURIComponent(url);
  } catch {
    // One that is not encoded as addresses are.
    return null;
  }
  if (/[\0%]/.test(rest)) return null;
  const folder = posix.join(own, rest);
  return folder.startsWith(posix.join(posix.dirname(own.replace(/\/+$/, '')), '/'))
    ? pathToFileURL(folder).href
    : null;
}
