/**
 * What builds see of a repository's history, by content: the tags up to a commit, and where the history is cut off. A clone
 * that was made with --depth, or that has other tags, gives an installation another version, so keys hold this beside the
 * commit.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canonicalJson } from '../../basics/canonical.ts';
import { digestOf } from '../../basics/digest.ts';
import { type Result, success } from '../../basics/result.ts';
import { ask, type QuestionKind } from '../../contract/question.ts';
import type { SourceDeps } from './deps.ts';
import type { SourceFault } from './fault.ts';
import { folderState, type History, hasCommit, historyMirror, readHistory } from './git-mirror.ts';
import { sourceDepsOf } from './instance-source.ts';
import { parseSpec } from './spec.ts';

export type HistorySeen = {
  /** Of all of it. */
  digest: string;
  /** For people: how many tags, and at how many commits it is cut off. */
  tags: number;
  cut: number;
};

/** Raise it when the same history would be seen in another way. */
const HISTORY_VERSION = 1;

type Asked = { spec: string; digest: string };

/**
 * What builds see of the history of a pinned source; null: it has none, or lies on another machine. A repository on this
 * machine may be a clone of any depth with any tags, and is asked. Another one is the same for all, and a plan asks no
 * network for a commit that is written in full.
 */
export const HISTORY: QuestionKind<Asked, HistorySeen | null> = {
  name: 'history',
  // The build looks itself whether it is still so.
  changes: false,
  async answer({ spec, digest }, services) {
    const parsed = parseSpec(spec);
    if (!parsed.ok) return parsed;
    if (parsed.value.kind !== 'git') return success(null);
    const { url } = parsed.value;
    const commit = digest.replace(/^git:/, '');
    const deps = sourceDepsOf(services);
    const folder = localFolder(url, deps);
    if (folder === null) return success(null);
    const state = await ask(FOLDER_STATE, folder, services);
    if (!state.ok) return state;
    const known = await deps.memo.get(memoOf(commit, state.value ?? folder));
    if (known !== undefined) return success(JSON.parse(known) as HistorySeen);
    const found = await historyOf(url, commit, deps);
    return found.ok ? success(await remember(url, commit, found.value, deps)) : found;
  },
};

/** Changes whenever a folder's tags do, or where its history ends; null where git cannot read it or it is gone. */
const FOLDER_STATE: QuestionKind<string, string | null> = {
  name: 'folder of git',
  changes: false,
  answer: async (folder, services) => success(await folderState(folder, sourceDepsOf(services))),
};

/** The history of `commit` as it is now: in the folder that the URL means, else in its mirror. */
export async function historyOf(
  url: string,
  commit: string,
  deps: SourceDeps,
): Promise<Result<History, SourceFault>> {
  const folder = localFolder(url, deps);
  if (folder !== null && (await hasCommit(folder, commit, deps))) {
    const read = await readHistory(folder, commit, deps);
    if (read.ok) return read;
  }
  const mirror = await historyMirror(url, commit, deps);
  return mirror.ok ? readHistory(mirror.value, commit, deps) : mirror;
}

export function seenOf({ tags, ends }: History): HistorySeen {
  const names = tags.map(({ name, target, peeled }) => [name, target, peeled]);
  return { digest: digestOf(canonicalJson([names, ends])), tags: tags.length, cut: ends.length };
}

/** Keeps the answer, also for when the folder is gone. */
export async function remember(
  url: string,
  commit: string,
  history: History,
  deps: SourceDeps,
): Promise<HistorySeen> {
  const seen = seenOf(history);
  const folder = localFolder(url, deps);
  const state = folder === null ? null : await folderState(folder, deps);
  for (const place of [state, folder])
    if (place !== null) await deps.memo.set(memoOf(commit, place), JSON.stringify(seen));
  return seen;
}

function memoOf(commit: string, place: string): string {
  return `history ${HISTORY_VERSION} ${commit} ${digestOf(place)}`;
}

/** The folder that a URL means; null for one on another machine. */
function localFolder(url: string, { projectFolder }: Pick<SourceDeps, 'projectFolder'>): string | null {
  if (url.startsWith('file:///')) return fileURLToPath(url);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || /^[\w.-]+@[\w.-]+:/.test(url)) return null;
  return resolve(projectFolder, url);
}
