/** First states made from small repositories and environments, and workspaces on them. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fault, type Result, success } from '../../../basics/result.ts';
import type { Deployment, Workspace } from '../../../executors/deployment.ts';
import type { Infra, Outcome } from '../../../schemas/outcome.ts';
import { LowerFiles } from '../../../tasks/first-state/lower.ts';
import { makeFirstState, type StateDescription, type StateTask } from '../../../tasks/first-state/make.ts';
import { settled } from '../../../tasks/first-state/settled.ts';
import { giveTo, type Kind } from '../../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../../rig/folder.ts';

export type Files = Record<string, string | Buffer | null>;

export interface TaskFiles {
  /** Below the repository. */
  source: Files;
  /** Rooted at `/`. */
  environment?: Files;
  /** The same as further layers, lowest first. */
  layers?: string[];
  task: Partial<StateTask>;
  /** Commands of the host in the source's folder, before a state is made. */
  before?: string;
}

export interface MadeState extends StateDescription {
  /** Folder of the layer, and of what is withheld. */
  tree: string;
  withheldFolder: string;
  layers: string[];
}

export const NO_TASK: StateTask = {
  patch: '',
  patch_role: 'bug',
  test_patch: '',
  FAIL_TO_PASS: [],
  PASS_TO_PASS: [],
};

export function writeFiles(root: string, files: Files): void {
  mkdirSync(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, name);
    rmSync(path, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

export function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** The diff from `files` to `files` with `changes`. */
export function diffOf(files: Files, changes: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-diff-'));
  try {
    writeFiles(folder, files);
    git(folder, 'init', '-q');
    git(folder, 'add', '-A', '-f');
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'Task');
    writeFiles(folder, changes);
    git(folder, 'add', '-A', '-f');
    return git(folder, 'diff', '--cached', '--binary', '--no-renames', 'HEAD');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function makeState(
  files: TaskFiles,
  deployment: Deployment,
): Promise<Result<MadeState, Infra | Outcome>> {
  const root = temporaryFolder('swemake-state-');
  chmodSync(root, 0o755);
  const source = join(root, 'source');
  writeFiles(join(source, 'testbed'), files.source);
  if (files.before !== undefined)
    execFileSync('bash', ['-ec', files.before], { cwd: join(source, 'testbed') });
  writeFiles(join(root, 'environment'), files.environment ?? {});
  const layers = [...(files.layers ?? []), join(root, 'environment')];
  const into = join(root, 'state');
  mkdirSync(into);
  const scratch = { deployment, limits: {}, signal: new AbortController().signal, log: () => undefined };
  const lower = new LowerFiles(layers);
  const made = await makeFirstState({ task: { ...NO_TASK, ...files.task }, source, lower, into, scratch });
  if (!made.ok) return fault(made.fault);
  await settled(made.value);
  return success({ ...made.value, tree: join(into, 'tree'), withheldFolder: join(into, 'withheld'), layers });
}

export interface Opened {
  workspace: Workspace;
  state: MadeState;
  shell(text: string): Promise<string>;
}

/** A workspace on the first state of a task. */
export async function openState(
  files: TaskFiles,
  deployment: Deployment,
  kind: Kind = { name: '' },
  variables: Record<string, string> = {},
): Promise<Opened> {
  const made = await makeState(files, deployment);
  if (!made.ok) throw new Error(JSON.stringify(made.fault));
  const state = made.value;
  await giveTo(kind, state.tree);
  const opened = await deployment.open(
    { layers: state.layers, mounts: [], links: {}, variables },
    { layer: state.tree },
    { limits: {}, network: 'off', storage: 'memory' },
  );
  if (!opened.ok) throw new Error(opened.fault.detail);
  const workspace = opened.value;
  const shell = async (text: string) => {
    const ran = await workspace.exec(text, { timeout: 60 });
    if (!ran.ok) throw new Error(ran.fault.detail);
    return ran.value.output;
  };
  return { workspace, state, shell };
}
