/**
 * Settings of the tests that the gold patch changes, too. A patch may change them, as a solution may need it to: another version of them
 * than gold's is tried against gold's.
 */
import { fault, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { fileFault, helperFault } from '../../executors/helper-fault.ts';
import { goldPatch, type PatchStep } from '../../patches/apply.ts';
import { placeSections, possibleNames } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { type Attempt, infra, isFault, type Outcome } from '../../schemas/outcome.ts';
import { withPatch } from './check.ts';
import type { CheckSetup } from './setup.ts';

/** Seconds for a command about a few files. */
const TIMEOUT = 60;
const READING = 'reading settings of the tests';
const WRITING = 'writing settings of the tests';

/** Files by their paths; null: there is none. */
export type Files = ReadonlyMap<string, { bytes: Uint8Array; mode: number } | null>;

export interface UnlikeSettings {
  /** As the gold patch has them. */
  gold: Files;
  /** As they are without a patch. */
  before: Files;
}

const NO_OTHERS: UnlikeSettings = { gold: new Map(), before: new Map() };

/** Settings of the tests of which `patch` has a version that decides otherwise than gold's and the task's own. */
export async function settingsUnlikeGold(setup: CheckSetup, patch: PatchStep): Attempt<UnlikeSettings> {
  const { protection, ecosystem, signal } = setup;
  const { sections } = readPatch(patch.diff);
  const named = new Set(possibleNames(sections));
  const paths = protection.settings.filter((path) => named.has(path));
  if (paths.length === 0) return success(NO_OTHERS);
  const own = await withPatch(setup, patch, (workspace) => filesOf(paths, workspace, signal));
  if (!own.ok) return own;
  const gold = await withPatch(setup, goldPatch(setup.instance), (workspace) =>
    filesOf(paths, workspace, signal),
  );
  // Without validation, a gold patch may not even apply.
  if (!gold.ok) return isFault(gold.fault) ? gold : success(NO_OTHERS);
  const added = placeSections(sections, null).files.flatMap(({ change, newPath }) =>
    change === 'added' ? [newPath!] : [],
  );
  const isUnlike = (path: string) => {
    const [before, solved, after] = [
      protection.textOf(path),
      textOf(gold.value, path),
      textOf(own.value, path),
    ];
    const deciding = (text: string | null) =>
      text === null ? null : (ecosystem?.deciding?.(path, text) ?? text);
    if ([before, solved].some((text) => deciding(text) === deciding(after))) return false;
    const isList = before !== null && after !== null && protection.growing.has(path);
    return !isList || !protection.growing.isGrown({ path, before, after }, added);
  };
  const unlike = new Map([...gold.value].filter(([path]) => isUnlike(path)));
  const before = [...unlike].map(
    ([path, file]) => [path, fileOf(protection.textOf(path), file?.mode)] as const,
  );
  return success({ gold: unlike, before: new Map(before) });
}

function fileOf(text: string | null, mode = 0o644) {
  return text === null ? null : { bytes: Buffer.from(text), mode };
}

function textOf(files: Files, path: string): string | null {
  const file = files.get(path) ?? null;
  return file === null ? null : Buffer.from(file.bytes).toString('utf8');
}

async function filesOf(paths: readonly string[], workspace: Workspace, signal: AbortSignal): Attempt<Files> {
  const files = new Map<string, { bytes: Uint8Array; mode: number } | null>();
  for (const path of paths) {
    const read = await workspace.read(`/testbed/${path}`);
    // What is there and cannot be read is no file.
    if (!read.ok && read.fault.status !== 'refused') return fault(fileFault(READING, read.fault));
    const bytes = read.ok ? read.value : null;
    if (bytes === null) {
      files.set(path, null);
      continue;
    }
    const mode = await run(`stat -Lc %a -- ${shellWord(`./${path}`)}`, READING, workspace, signal);
    if (!mode.ok) return mode;
    files.set(path, { bytes, mode: Number.parseInt(mode.value, 8) });
  }
  return success(files);
}

/** Puts files in the place of those of a workspace. */
export async function placeFiles(
  files: Files,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const words = [...files.keys()].map((path) => shellWord(`./${path}`)).join(' ');
  const removed = await run(`rm -rf -- ${words}`, WRITING, workspace, signal);
  if (!removed.ok) return removed.fault;
  for (const [path, file] of files) {
    if (file === null) continue;
    const written = await workspace.write(`/testbed/${path}`, file.bytes, file.mode);
    if (!written.ok) return fileFault(WRITING, written.fault);
  }
  return null;
}

async function run(
  command: string,
  doing: string,
  workspace: Workspace,
  signal: AbortSignal,
): Attempt<string> {
  const ran = await workspace.exec(command, { timeout: TIMEOUT, signal });
  if (!ran.ok) return ran;
  const broken = helperFault(doing, ran.value);
  if (broken !== null) return fault(broken);
  if (ran.value.exitCode === 0) return success(ran.value.stdout);
  return fault(infra('helper', `${doing}: ${ran.value.output.trim()}`));
}
