/** What is not there is an answer; what the machine refuses to show is a fault, and never the same answer. */
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isAbsent } from '../../basics/absent.ts';
import { sweepContainers } from '../../executors/docker/sweep.ts';
import { sweepLocal } from '../../executors/local/sweep.ts';
import { originOf } from '../../executors/origin.ts';
import { sweepProcesses } from '../../executors/process/sweep.ts';
import { taskFiles } from '../../grading/run/task-files.ts';
import { packageFolders } from '../../grading/run/witness.ts';
import { atifPaths } from '../../stages/dataset/readers/atif.ts';
import { missingPackages } from '../../stages/environments/debian.ts';
import { findVenv } from '../../stages/environments/venv-tree.ts';
import { officialVerdict, readOfficialReport } from '../../stages/evaluate/official.ts';
import { readTree } from '../../tasks/first-state/tree.ts';
import { listingOf } from '../../tasks/training/output-folder.ts';
import { readSteps } from '../../tasks/training/progress.ts';
import { temporaryFolder } from '../rig/folder.ts';

const folder = temporaryFolder();
const ANOTHER_USER = 65534;
/** Of a process that is gone with its machine's last start. */
const DEAD = 'work.999999-1-n1-0';

/** Runs `work` without the rights of root, which may read everything. */
async function withoutRights<T>(work: () => T | Promise<T>): Promise<T> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(ANOTHER_USER);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}

const ERRORS = Object.fromEntries(
  ['resolved_ids', 'unresolved_ids', 'empty_patch_ids', 'incomplete_ids'].map((list) => [list, []]),
);

/** What reads: the place below a folder that decides, whether it is a file, and the reader. */
const READERS: [string, string, 'file' | 'folder', (root: string) => unknown][] = [
  ['files of a task', 'testbed', 'folder', taskFiles],
  [
    'folders of packages',
    'opt/env/lib',
    'folder',
    (root) => packageFolders({ layers: [root], mounts: [], links: {}, variables: {} } as never),
  ],
  ['submodules of a tree', '.git/index', 'file', readTree],
  ['the repository of a first state', 'testbed/.git/refs/heads/main', 'file', (root) => originOf(root, 'c')],
  ['trajectories', 'jobs', 'folder', (root) => atifPaths(join(root, 'jobs'))],
  ['a tree of environments', 'trees', 'folder', (root) => findVenv(join(root, 'trees'))],
  ['packages of the machine', 'status', 'file', (root) => missingPackages(['git'], join(root, 'status'))],
  [
    'a report of the harness',
    'reports',
    'folder',
    (root) => readOfficialReport([join(root, 'reports')], 'r'),
  ],
  [
    'a log of the harness',
    'run_instance.log',
    'file',
    (root) => officialVerdict('i', { ...ERRORS, error_ids: ['i'] } as never, root),
  ],
  ['metrics of a training', 'steps.jsonl', 'file', (root) => readSteps(join(root, 'steps.jsonl'))],
  ['checkpoints of a training', 'out', 'folder', (root) => listingOf(root).names('out')],
  ['processes of killed runs', 'notes', 'folder', (root) => sweepProcesses(join(root, 'notes'))],
  ['workspaces of killed runs', 'notes', 'folder', (root) => sweepLocal(join(root, 'notes'))],
  ['containers of killed runs', 'notes', 'folder', (root) => sweepContainers(join(root, 'notes'), {})],
  ['a note of a killed process', `notes/${DEAD}`, 'file', (root) => sweepProcesses(join(root, 'notes'))],
];

test.each(READERS)(
  '%s: nothing there is an answer, no right to look is a fault',
  async (_, place, kind, read) => {
    const root = mkdtempSync(join(folder, 'root-'));
    chmodSync(folder, 0o755);
    chmodSync(root, 0o755);
    mkdirSync(dirname(join(root, place)), { recursive: true });
    await withoutRights(() => read(root));
    if (kind === 'file') writeFileSync(join(root, place), '');
    else mkdirSync(join(root, place));
    chmodSync(join(root, place), 0);
    const refused = await withoutRights(async () => read(root)).then(
      () => null,
      (error: NodeJS.ErrnoException) => error,
    );
    chmodSync(join(root, place), 0o755);
    expect(refused?.code).toBe('EACCES');
    expect(isAbsent(refused)).toBe(false);
  },
);
