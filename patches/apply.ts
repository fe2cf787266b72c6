/**
 * Applies patches in a workspace by the known tools, from exact to lenient. The tools get a patch that swemake writes
 * from what it read, and never the original bytes.
 */

import { named } from '../basics/named.ts';
import type { Workspace } from '../executors/deployment.ts';
import { fileFault, helperFault } from '../executors/helper-fault.ts';
import { ownGit } from '../executors/own-git.ts';
import type { Instance } from '../schemas/instance.ts';
import type { Outcome } from '../schemas/outcome.ts';
import { withOpenEnds } from './end.ts';
import { bothNames, type FilePatch } from './patch.ts';
import { placeSections, possibleNames } from './place.ts';
import { readPatch } from './read.ts';
import { openEnds, patchTree } from './tree.ts';
import { type ApplyRole, alreadyApplied, applyAttempts, goldRole, hasBareHunks } from './ways.ts';
import { invertPatch, writePatch } from './write.ts';

/** One patch to apply, and what to call it in messages. */
export interface PatchStep {
  title: string;
  diff: string;
  role: ApplyRole;
}

interface Setup {
  signal: AbortSignal;
  log(text: string): void;
}

/** Seconds that applying a patch may take. */
const TIMEOUT = 120;
const SCRATCH = '/tmp/.swemake-apply';
/** `git apply` of git 2.55 crashes where this is set. `info/attributes` goes before those of the tree without it, too. */
const ATTRIBUTES_FROM_ANYWHERE = 'unset GIT_ATTR_SOURCE';
const PATCH = `${SCRATCH}/patch`;

/** The patch that adds the hidden tests; null when the source holds them. */
export function testPatch({ test_patch }: Instance): PatchStep | null {
  return test_patch === '' ? null : { title: 'test patch', diff: test_patch, role: 'apply' };
}

/** The patch that solves the task. */
export function goldPatch({ patch, patch_role }: Instance): PatchStep {
  return { title: 'gold patch', diff: patch, role: goldRole(patch_role) };
}

/** Applies one of the task's own patches; null when that worked, or when it is in the tree already. */
export async function applyPatch(
  workspace: Workspace,
  { title, diff, role }: PatchStep,
  setup: Setup,
): Promise<Outcome | null> {
  const { sections, strange } = readPatch(diff);
  const tree = await patchTree(possibleNames(sections), workspace, setup.signal);
  if (!tree.ok) return tree.fault;
  const { files, unclear } = placeSections(sections, tree.value);
  const unread = [...strange, ...unclear].map(({ line, why }) => `line ${line}: ${why}`);
  if (unread.length > 0) return doesNotApply(title, named(unread));
  const wanted = role === 'reverse' ? invertPatch(files) : files;
  if (wanted === null) return doesNotApply(title, 'it cannot be taken back');
  return applyFiles(workspace, title, wanted, setup);
}

/** Tries the known ways in order; null when one of them worked, or when the patch is in the tree already. */
export async function applyFiles(
  workspace: Workspace,
  title: string,
  files: readonly FilePatch[],
  setup: Setup,
): Promise<Outcome | null> {
  if (files.length === 0) return doesNotApply(title, 'there is no diff in it');
  const empty = files.find(({ content }) => content.kind === 'omitted');
  if (empty !== undefined)
    return doesNotApply(title, `it holds no data for ${bothNames(empty).at(-1)}, a binary file`);
  const outputs: string[] = [];
  const isDone = async (text: string, commands: readonly string[]) => {
    const written = await workspace.write(PATCH, text);
    if (!written.ok) return fileFault(`applying the ${title}`, written.fault);
    for (const command of commands) {
      const script = [...ownGit(SCRATCH), ATTRIBUTES_FROM_ANYWHERE, command].join('\n');
      const ran = await workspace.exec(script, { timeout: TIMEOUT, signal: setup.signal });
      if (!ran.ok) return ran.fault;
      if (ran.value.exitCode === 0) return true;
      const broken = helperFault(`applying the ${title}`, ran.value);
      if (broken !== null) return broken;
      outputs.push(ran.value.output);
    }
    return false;
  };
  const { exact, lenient } = applyAttempts(PATCH, { bare: hasBareHunks(files) });
  const text = writePatch(files);
  const inverse = invertPatch(files);
  const ways: (() => Promise<Outcome | boolean>)[] = [
    () => isDone(text, exact),
    async () => {
      const open = await openEnds(files, workspace, setup.signal);
      if (!open.ok) return open.fault;
      const closed = withOpenEnds(files, open.value);
      return closed === null ? false : isDone(writePatch(closed), exact);
    },
    () => isDone(text, lenient),
    async () => (inverse === null ? false : isDone(writePatch(inverse), [alreadyApplied(PATCH)])),
  ];
  for (const way of ways) {
    const done = await way();
    if (done !== false) return done === true ? null : done;
  }
  setup.log(`== ${title} does not apply\n${outputs.join('')}\n`);
  return doesNotApply(title, reasonIn(outputs[0]!));
}

function doesNotApply(title: string, detail: string): Outcome {
  return { status: 'failed', reason: 'patch-does-not-apply', detail: `${title}: ${detail}` };
}

/** The line in which git says what is wrong. */
function reasonIn(output: string): string {
  const lines = output.trim().split('\n');
  const reason = lines.find((line) => /^(?:error|fatal):/.test(line)) ?? lines[0] ?? '';
  const [, file, line] = /patch failed: (.+):(\d+)$/.exec(reason) ?? [];
  // What git says, and what it means.
  return file === undefined
    ? reason
    : `${reason}; ${file} has other text at line ${line} than the patch expects: it was made for another commit or by other line ends`;
}
