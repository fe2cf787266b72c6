/**
 * Checks a submitted patch before it is applied: it is refused, or reduced to the files that it may change. Runs no
 * code. What really changed is compared again after it was applied.
 */

import { named } from '../../basics/named.ts';
import { BUILD_OUTPUT } from '../../ecosystems/registry.ts';
import { leftoversIn } from '../../patches/leftovers.ts';
import { ancestors, unsafeName } from '../../patches/names.ts';
import { bothNames, type FilePatch } from '../../patches/patch.ts';
import { type PatchTree, placeSections } from '../../patches/place.ts';
import type { Reading, Strange } from '../../patches/read.ts';
import type { ApplyRole } from '../../patches/ways.ts';
import { invertPatch } from '../../patches/write.ts';
import { type Finding, findingAbout, type IntegrityRule } from './findings.ts';
import type { ProtectedAs, Protection } from './protect.ts';

/** Files that a patch may not change; `hidden` tests do not exist for the agent. */
export type Guarded = Protection & { hidden: ReadonlySet<string> };

/** The description of a patch in its verdict. */
export interface PatchSummary {
  /** Number of files that it names. */
  files: number;
  /** Files of the patch that are not applied; a folder ends in a slash. */
  dropped: string[];
  findings: Finding[];
}

export type Candidate = PatchSummary &
  (
    | { kind: 'empty' }
    | { kind: 'refused' }
    | { kind: 'unplaced'; why: string }
    | { kind: 'patch'; patch: FilePatch[] }
  );

const RULES: Readonly<Record<ProtectedAs, IntegrityRule | null>> = {
  test: 'tests-edited',
  // No finding: agents should add tests of their own.
  support: null,
  runner: 'runner-config',
  bytecode: 'bytecode',
  project: 'protected-file',
};

/** Why a diff of `bytes` bytes is too large to be read; null when it is not. */
export function tooLarge(bytes: number, maxBytes: number): Finding | null {
  return bytes > maxBytes ? refused('patch-too-large', `${bytes} bytes, and ${maxBytes} may be`) : null;
}

/** Makes a candidate of a parsed diff, without protected files. */
export function candidateOf(
  { sections, strange }: Reading,
  tree: PatchTree,
  role: ApplyRole,
  protection: Guarded,
): Candidate {
  const placed = placeSections(sections, tree);
  const { unclear } = placed;
  const files = role === 'reverse' ? invertPatch(placed.files) : placed.files;
  const size = new Set(placed.files.flatMap(bothNames)).size;
  const none: PatchSummary = { files: size, dropped: [], findings: [] };
  const refusal = (rule: IntegrityRule, detail: string): Candidate => ({
    kind: 'refused',
    ...none,
    findings: [refused(rule, detail)],
  });
  const unplaced = [...strange, ...unclear];
  if (unplaced.length > 0) return refusal('patch-unreadable', named(unplaced.map(lineAndWhy)));
  if (files === null) return { kind: 'unplaced', ...none, why: 'it cannot be taken back' };
  if (files.length === 0) return { kind: 'unplaced', ...none, why: 'there is no diff in it' };
  const unsafe = files.flatMap(bothNames).filter((path) => unsafeName(path) !== null);
  if (unsafe.length > 0) return refusal('patch-escapes', named([...new Set(unsafe)]));
  const { patch, dropped } = cutDown(files, tree, protection);
  const through = throughLinks(patch, tree);
  if (through.length > 0) return refusal('patch-links', `through a symbolic link: ${named(through)}`);
  const facts = { files: size, dropped, findings: findingsOf(dropped, protection) };
  return patch.length === 0 ? { kind: 'empty', ...facts } : { kind: 'patch', ...facts, patch };
}

function lineAndWhy({ line, why }: Strange): string {
  return `line ${line}: ${why}`;
}

function refused(rule: IntegrityRule, detail: string): Finding {
  return { rule, detail, effect: 'refused' };
}

/** Drops protected files, entries that are no files, and leftovers of the agent. */
function cutDown(
  files: readonly FilePatch[],
  tree: PatchTree,
  protection: Guarded,
): { patch: FilePatch[]; dropped: string[] } {
  const isSolution = (path: string) => protection.solution.has(path);
  const added = files.filter(({ change, newPath }) => change === 'added' && !isSolution(newPath!));
  const left = leftoversIn(
    added.map(({ newPath }) => newPath!),
    (path) => tree.entry(path) !== null,
    BUILD_OUTPUT,
  );
  const dropped = new Set<string>(left.names);
  const patch = files.filter((file) => {
    if (file.change === 'added' && left.has(file.newPath!)) return false;
    const names = bothNames(file).filter(
      (path) =>
        protection.hidden.has(path) ||
        (protection.reasonOf(path) !== null && !mayGrow(file, protection)) ||
        (isSubmodule(file) && !isSolution(path)),
    );
    for (const path of names) dropped.add(path);
    return names.length === 0;
  });
  // Of binary files without their data, as `git diff` alone writes them, nothing can be applied; of the rest it can.
  const whole = patch.filter(({ content }) => content.kind !== 'omitted');
  if (whole.length === 0) return { patch, dropped: [...dropped] };
  for (const file of patch) if (!whole.includes(file)) for (const path of bothNames(file)) dropped.add(path);
  return { patch: whole, dropped: [...dropped] };
}

/** A list that may become longer is applied first. What is not only longer is put back then. */
function mayGrow(
  { change, oldPath, newPath, oldMode, newMode, content }: FilePatch,
  { growing }: Guarded,
): boolean {
  const isText = change === 'modified' && content.kind === 'text' && oldPath === newPath;
  return isText && oldMode === newMode && growing.has(newPath!);
}

function isSubmodule({ oldMode, newMode }: FilePatch): boolean {
  return oldMode === '160000' || newMode === '160000';
}

/** Names below a symbolic link that exists or that the patch makes. */
function throughLinks(patch: readonly FilePatch[], tree: PatchTree): string[] {
  const after = new Map<string, boolean>();
  for (const { oldPath, newPath, newMode, change } of patch) {
    const isGone = oldPath !== null && oldPath !== newPath && change !== 'copied';
    if (isGone && !after.has(oldPath)) after.set(oldPath, false);
    if (newPath !== null && newMode === '120000') after.set(newPath, true);
  }
  const wasLink = (path: string) => tree.entry(path) === 'link';
  const isLink = (path: string) => after.get(path) ?? wasLink(path);
  const leads = (path: string | null, link: (name: string) => boolean) =>
    path !== null && ancestors(path).slice(0, -1).some(link);
  return patch.flatMap(({ oldPath, newPath }) => [
    ...(leads(oldPath, wasLink) ? [oldPath!] : []),
    ...(leads(newPath, isLink) ? [newPath!] : []),
  ]);
}

/** Doubts about files that were changed, and stay so. */
export function doubtsAbout(
  changed: readonly string[],
  added: readonly string[],
  { given, namesOf }: Protection,
): Finding[] {
  const found = changed.filter((path) => given.has(path));
  return [...findingAbout('tests-input', 'masked', found), ...namesOf(added)];
}

/** One finding per rule for files that were restored. */
export function findingsOf(dropped: readonly string[], protection: Protection): Finding[] {
  const byRule = new Map<IntegrityRule, string[]>();
  for (const path of dropped) {
    const reason = protection.reasonOf(path);
    const rule = reason === null ? null : RULES[reason];
    if (rule !== null) byRule.set(rule, [...(byRule.get(rule) ?? []), path]);
  }
  return [...byRule].flatMap(([rule, paths]) => findingAbout(rule, 'dropped', paths));
}
