/**
 * Applies a task's own patches without the repository, in a workspace that holds only the files that a patch names.
 * So tools that read patches see nothing else, and the host reads their results only as bytes.
 */

import { fault, type Result, success } from '../../basics/result.ts';
import type { BaseView, Deployment, Limits, Workspace } from '../../executors/deployment.ts';
import { fileFault, helperFault } from '../../executors/helper-fault.ts';
import { applyPatch, type PatchStep } from '../../patches/apply.ts';
import { possibleNames } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { bytesOf, isInside, obstacle, type Tree, type TreeFile } from './tree.ts';

/** The tools with which patches are applied. */
export interface ScratchOptions {
  deployment: Deployment;
  limits: Limits;
  signal: AbortSignal;
  log(text: string): void;
  /** The root that the task's environment stands on; absent: the system of the machine. */
  base?: BaseView | undefined;
}

/** What a patch did to one file; null: it is not there. */
export interface Change {
  path: string;
  before: TreeFile | null;
  after: TreeFile | null;
}

type Fault = Outcome;

const LIST = '/tmp/.swemake-files';
const LOOKING = 'looking at the files of a patch';
const TIMEOUT = 120;
const VARIABLES = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };

/** One workspace for the patches of one task. */
export class Scratch {
  readonly #workspace: Workspace;
  readonly #options: ScratchOptions;
  readonly #placed = new Set<string>();

  private constructor(workspace: Workspace, options: ScratchOptions) {
    this.#workspace = workspace;
    this.#options = options;
  }

  static async open(options: ScratchOptions): Promise<Result<Scratch, Infra>> {
    const { limits, signal, base } = options;
    const root = base === undefined ? {} : { base: { ...base, testbed: false, place: null } };
    const view = { ...root, layers: [], mounts: [], links: {}, variables: VARIABLES };
    const opened = await options.deployment.open(view, null, {
      limits,
      network: 'off',
      storage: 'memory',
      signal,
    });
    return opened.ok ? success(new Scratch(opened.value, options)) : opened;
  }

  close(): Promise<void> {
    return this.#workspace.close();
  }

  /** Applies the patch to the files of `tree`, and brings the tree to what came of it. */
  async apply(step: PatchStep, tree: Tree): Promise<Result<Change[], Fault>> {
    const paths = pathsOf(step.diff);
    const placed = await this.#place(
      paths.filter((path) => !this.#placed.has(path)),
      tree,
    );
    if (placed !== null) return fault(placed);
    const refused = await applyPatch(this.#workspace, step, this.#options);
    if (refused !== null) return fault(refused);
    const found = await this.#look(paths);
    if (!found.ok) return found;
    const changes = paths.map((path, index) => ({
      path,
      before: tree.get(path) ?? null,
      after: found.value[index]!,
    }));
    return takeOver(changes, tree, step);
  }

  async #place(paths: readonly string[], tree: Tree): Promise<Fault | null> {
    const links: string[] = [];
    for (const path of paths) {
      this.#placed.add(path);
      const file = tree.get(path);
      if (file?.kind === 'link') links.push(path, file.target);
      if (file?.kind !== 'file') continue;
      const mode = file.executable ? 0o755 : 0o644;
      const written = await this.#workspace.write(`/testbed/${path}`, bytesOf(file.content), mode);
      if (!written.ok) return fileFault('placing the files of a patch', written.fault);
    }
    if (links.length === 0) return null;
    const make = `while IFS= read -r -d '' path && IFS= read -r -d '' target; do mkdir -p -- "$(dirname -- "$path")" && ln -sfn -- "$target" "$path"; done < ${LIST}`;
    const ran = await this.#run(make, links);
    return ran.ok ? null : ran.fault;
  }

  /** What lies at the paths now. */
  async #look(paths: readonly string[]): Promise<Result<(TreeFile | null)[], Fault>> {
    if (paths.length === 0) return success([]);
    const kinds = await this.#run(
      `at=0; while IFS= read -r -d '' path; do if [ -L "$path" ]; then echo link; readlink -n -- "$path" > ${LIST}.$at; elif [ ! -f "$path" ]; then echo none; elif [ -x "$path" ]; then echo program; else echo file; fi; at=$((at+1)); done < ${LIST}`,
      paths,
    );
    if (!kinds.ok) return kinds;
    const found: (TreeFile | null)[] = [];
    for (const [index, kind] of kinds.value.trimEnd().split('\n').entries()) {
      if (kind === 'none') {
        found.push(null);
        continue;
      }
      const place = kind === 'link' ? `${LIST}.${index}` : `/testbed/${paths[index]}`;
      const read = await this.#workspace.read(place);
      if (!read.ok) return fault(fileFault(LOOKING, read.fault));
      if (read.value === null) return fault(infra('helper', `${LOOKING}: ${place} is gone`));
      const bytes = Buffer.from(read.value);
      if (kind === 'link') found.push({ kind: 'link', target: bytes.toString() });
      else found.push({ kind: 'file', executable: kind === 'program', content: { bytes } });
    }
    if (found.length === paths.length) return success(found);
    return fault(infra('helper', 'the files of a patch cannot be looked at'));
  }

  /** Runs a command that reads words from the list. */
  async #run(command: string, words: readonly string[]): Promise<Result<string, Fault>> {
    const written = await this.#workspace.write(LIST, words.map((word) => `${word}\0`).join(''));
    if (!written.ok) return fault(fileFault(LOOKING, written.fault));
    const ran = await this.#workspace.exec(command, { timeout: TIMEOUT, signal: this.#options.signal });
    if (!ran.ok) return ran;
    const broken = helperFault(LOOKING, ran.value);
    if (broken !== null) return fault(broken);
    if (ran.value.exitCode === 0) return success(ran.value.stdout);
    return fault(infra('helper', `the files of a patch: ${ran.value.output.trim()}`));
  }
}

/** Every name that the patch may mean, as far as it can be one of the repository's. */
function pathsOf(diff: string): string[] {
  return [...new Set(possibleNames(readPatch(diff).sections))].filter(isInside);
}

/** In a repository a file cannot lie below a link or another file. */
function takeOver(changes: Change[], tree: Tree, { title }: PatchStep): Result<Change[], Fault> {
  for (const { path, before, after } of changes) {
    if (after !== null) tree.set(path, after);
    else if (before?.kind !== 'submodule') tree.delete(path);
  }
  for (const { path, after } of changes) {
    const blocked = after === null ? null : obstacle(path, tree);
    if (blocked === null) continue;
    const detail = `${title}: ${path} would lie below ${blocked}, which is no folder`;
    return fault({ status: 'failed', reason: 'patch-does-not-apply', detail });
  }
  return success(changes);
}
