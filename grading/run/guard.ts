/**
 * Applies a patch to a task with checks: it is read, reduced to what it may change, written again and applied. Then
 * the files that really changed are compared with what was read. This runs before any code of the patch does.
 */

import { named } from '../../basics/named.ts';
import { fault, success } from '../../basics/result.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { applyFiles, type PatchStep } from '../../patches/apply.ts';
import { ancestors } from '../../patches/names.ts';
import { bothNames } from '../../patches/patch.ts';
import { possibleNames } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { patchTree } from '../../patches/tree.ts';
import { type Attempt, failed, type Outcome } from '../../schemas/outcome.ts';
import {
  type Candidate,
  candidateOf,
  doubtsAbout,
  findingsOf,
  type PatchSummary,
} from '../rules/candidate.ts';
import { type Finding, findingAbout, type IntegrityRule } from '../rules/findings.ts';
import { checkLink, linkTarget } from '../rules/links.ts';
import type { ChangedFile, RemovedFile } from '../suspicion/suspicion.ts';
import { changedFiles, judgedFiles, readTexts, removedFiles, textsOf } from './changed-files.ts';
import type { CheckSetup } from './setup.ts';
import { changesSince, putBack, rememberTree, type TreeChange } from './tree.ts';

/** A patch that is graded. */
export interface GuardedStep extends PatchStep {
  /** Called with a summary of the patch, whatever happens to it. */
  tell?(summary: PatchSummary): void;
  /** Called with the files of code that it changes and removes, when it is applied. Absent: they are not read. */
  inspect?(files: ChangedFile[], removed: RemovedFile[]): void;
  /** Called when it is applied, before the task's own tests are written: changes the code further. */
  change?(workspace: Workspace): Promise<Outcome | null>;
}

type Guards = Pick<CheckSetup, 'protection' | 'signal' | 'log' | 'ecosystem'>;

/**
 * Applies the patch and puts back what it may not change; `hidden` tests are not even there. Returns the files that are
 * left as the task has them.
 */
export async function applyGuarded(
  workspace: Workspace,
  step: GuardedStep,
  hidden: ReadonlySet<string>,
  setup: Guards,
): Attempt<string[]> {
  const { protection, signal } = setup;
  const reading = readPatch(step.diff);
  const tree = await patchTree(possibleNames(reading.sections), workspace, signal);
  if (!tree.ok) return tree;
  const candidate = candidateOf(reading, tree.value, step.role, { ...protection, hidden });
  step.tell?.(candidate);
  if (candidate.kind !== 'patch') return fault(notApplied(step.title, candidate));
  const inspected = step.inspect === undefined ? [] : judgedFiles(candidate.patch, setup.ecosystem?.doubts);
  const texts = await readTexts(
    inspected.map(({ oldPath }) => oldPath),
    workspace,
  );
  if (!texts.ok) return texts;
  const lists = candidate.patch.flatMap(bothNames).filter((path) => protection.growing.has(path));
  const listsBefore = await textsOf(lists, workspace);
  if (!listsBefore.ok) return listsBefore;
  const before = await rememberTree(workspace, signal);
  if (!before.ok) return before;
  const refused = await applyFiles(workspace, step.title, candidate.patch, setup);
  if (refused !== null) return fault(refused);
  const changes = await changesSince(before.value, workspace, signal);
  if (!changes.ok) return changes;
  const listed = new Set(candidate.patch.flatMap(bothNames));
  const { files, isRepositoryChanged } = changes.value;
  const stray = files.filter(({ path }) => !listed.has(path)).map(({ path }) => path);
  if (isRepositoryChanged) stray.push('.git');
  const checked = await checkLinks(files, workspace, setup);
  if (!checked.ok) return checked;
  const links = checked.value;
  if (stray.length > 0)
    links.refused.push(['patch-escapes', `it changed what it does not name: ${named(stray)}`]);
  const grown = await grownLists(listsBefore.value, files, workspace, setup);
  if (!grown.ok) return grown;
  const back = files.filter(
    ({ path }) => (protection.reasonOf(path) !== null && !grown.value.has(path)) || links.dropped.has(path),
  );
  const dropped = [...new Set([...candidate.dropped, ...back.map(({ path }) => path)])];
  const left = files.map(({ path }) => path).filter((path) => !dropped.includes(path));
  const added = left.filter((path) =>
    candidate.patch.some((one) => one.newPath === path && one.oldPath === null),
  );
  const doubts = doubtsAbout(left, added, protection);
  const findings = [...findingsOf(dropped, protection), ...links.findings, ...doubts];
  for (const [rule, detail] of links.refused) findings.push({ rule, detail, effect: 'refused' });
  step.tell?.({ files: candidate.files, dropped, findings });
  const [refusal] = links.refused;
  if (refusal !== undefined) return fault(failed('patch-refused', `${refusal[0]}: ${refusal[1]}`));
  if (back.length > 0) {
    const put = await putBack(back, workspace, signal);
    if (!put.ok) return put;
  }
  const now = await readTexts(
    inspected.map(({ newPath }) => newPath),
    workspace,
  );
  if (!now.ok) return now;
  step.inspect?.(
    changedFiles(inspected, texts.value, now.value),
    removedFiles(candidate.patch, setup.ecosystem?.doubts),
  );
  return success(dropped);
}

/** Lists that the patch made longer by files of its own, and changed in no other way. */
async function grownLists(
  before: ReadonlyMap<string, string>,
  files: readonly TreeChange[],
  workspace: Workspace,
  { protection }: Guards,
): Attempt<ReadonlySet<string>> {
  const changed = files.flatMap(({ path, target }) => (before.has(path) && target === null ? [path] : []));
  const after = await textsOf(changed, workspace);
  if (!after.ok) return after;
  const added = files.flatMap(({ path, added: isNew, target }) => (isNew && target === null ? [path] : []));
  const isGrown = ([path, text]: [string, string]) =>
    protection.growing.isGrown({ path, before: before.get(path)!, after: text }, added);
  return success(new Set([...after.value].filter(isGrown).map(([path]) => path)));
}

/** The answer for a patch of which nothing is applied. */
function notApplied(title: string, candidate: Exclude<Candidate, { kind: 'patch' }>): Outcome {
  const { findings, dropped } = candidate;
  if (candidate.kind === 'refused')
    return failed('patch-refused', `${findings[0]!.rule}: ${findings[0]!.detail}`);
  if (candidate.kind === 'unplaced') return failed('patch-does-not-apply', `${title}: ${candidate.why}`);
  return failed('empty-patch', `nothing is left of the patch: it only changes ${named(dropped)}`);
}

interface CheckedLinks {
  dropped: Set<string>;
  findings: Finding[];
  refused: [IntegrityRule, string][];
}

/** Looks at the symbolic links and submodules that there are now and were not before. */
async function checkLinks(
  files: readonly TreeChange[],
  workspace: Workspace,
  { protection, signal }: Guards,
): Attempt<CheckedLinks> {
  const checked: CheckedLinks = { dropped: new Set(), findings: [], refused: [] };
  const open = files.filter(
    ({ path }) => !protection.solution.has(path) && protection.reasonOf(path) === null,
  );
  for (const { path, isSubmodule } of open)
    if (isSubmodule) checked.refused.push(['patch-links', `${path} is a submodule`]);
  const links = open.flatMap(({ path, target }) => (target === null ? [] : [{ path, target }]));
  if (links.length === 0) return success(checked);
  const names = links.flatMap(({ path, target }) => ancestors(linkTarget(path, target) ?? ''));
  const tree = await patchTree([...new Set(names)], workspace, signal);
  if (!tree.ok) return tree;
  const why: string[] = [];
  for (const { path, target } of links) {
    const verdict = checkLink(path, target, protection, (name) => tree.value.entry(name) === 'link');
    if (verdict?.kind === 'refused') checked.refused.push(['patch-links', verdict.why]);
    if (verdict?.kind !== 'dropped') continue;
    checked.dropped.add(path);
    why.push(verdict.why);
  }
  checked.findings.push(...findingAbout('patch-links', 'dropped', why));
  return success(checked);
}
