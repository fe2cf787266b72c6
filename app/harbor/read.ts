/** Brings together what a task of Harbor is made of: the answers of a build, and the instance's first state. */
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { SITE } from '../../contract/machine.ts';
import { toolsOf } from '../../contract/tools.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { type Protection, RUNNER_FILES } from '../../grading/rules/protect.ts';
import { pluginPackages } from '../../grading/rules/runner-packages.ts';
import { prepareChecks } from '../../grading/run/setup.ts';
import { taskFiles as filesOfTask } from '../../grading/run/task-files.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { type BuiltEnvironment, environmentView, readEnvironment } from '../../tasks/environment/view.ts';
import type { FirstState } from '../../tasks/first-state/first-state.ts';
import type { Task } from '../episodes/tasks.ts';
import type { Workbench } from '../workbench.ts';
import { type Guard, type HarborTask, whyNoTask } from './task.ts';

/** What a Harbor task is made of; its archives are written while the first state is held. */
export interface ReadTask {
  task: HarborTask;
  /** `environment/repository.tar.gz`. */
  repository: Buffer;
  /** `tests/hidden.tar.gz`; null where no tests are hidden. */
  hidden: Buffer | null;
}

/** A fault is the reason why there is no such task. */
export async function readHarborTask(
  found: Task,
  packages: readonly string[],
  bench: Workbench,
): Promise<Result<ReadTask, string>> {
  const { services, project } = bench;
  const { baseline, rules, ofVerdict, tests, grade, rollout, recipe, isValidated } = found;
  const built = await readEnvironment(ofVerdict, services);
  const view = await environmentView(built, services, grade);
  if (!view.ok) return fault(detailOf(view.fault));
  const image = await imageOf(built, view.value);
  if (!image.ok) return image;
  const refused = whyNoTask({ parser: tests.parser, recipe, image: image.value });
  if (refused !== null) return fault(refused);
  const instance = await found.instance();
  const { timeout, protect, max_patch: maxPatch } = rules;
  const plugins = baseline === null ? null : pluginPackages(baseline);
  const request = {
    instance,
    tests,
    work: grade,
    timeout,
    protect,
    plugins,
    reads: baseline?.reads ?? null,
    environment: ofVerdict,
    isValidated,
  };
  const context = { ...services, log: () => undefined, waits: () => undefined };
  const setup = await prepareChecks(request, toolsOf(context, 'grade', SITE));
  if (!setup.ok) return fault(detailOf(setup.fault));
  const state = await setup.value.state();
  if (!state.ok) return fault(detailOf(state.fault));
  try {
    const { withheld, copies, commit, view: source } = state.value;
    const { parser, services: beside, evalCommands, testCommand, protection } = setup.value;
    const task: HarborTask = {
      project: project.config.name,
      ...{ instance, recipe, tests, packages, commit, timeout, maxPatch, evalCommands, testCommand },
      image: image.value,
      installed: await installedProject(view.value),
      variables: view.value.variables,
      parser: parser.name,
      services: beside,
      agentTime: project.config.agent?.limits.time ?? null,
      memory: rollout.limits.memory ?? null,
      cpus: rollout.limits.cpus ?? null,
      isOnline: rollout.network !== 'off',
      gold: baseline?.reports?.log ?? {},
      guard: guardOf(protection, (await filesOfTask(source.layer)).paths),
      hidden: withheld.map(({ path }) => path),
      copies: copies.filter(({ at }) => at.startsWith('/testbed/')).map(({ at, path }) => [path, at]),
    };
    const repository = await packed(source.layer, 'testbed', services.env);
    if (!repository.ok) return repository;
    const hidden = withheld.length === 0 ? success(null) : await packedHidden(state.value, services.env);
    return hidden.ok ? success({ task, repository: repository.value, hidden: hidden.value }) : hidden;
  } finally {
    state.value.release();
  }
}

function detailOf(outcome: Outcome): string {
  return 'detail' in outcome ? outcome.detail : outcome.status;
}

/** The official image of the environment's Python, or the image that it is built on. */
async function imageOf(
  { base }: BuiltEnvironment,
  { layers }: EnvironmentView,
): Promise<Result<string, string>> {
  const [, kind, name] = /^(image|debian):(.*)$/.exec(base?.name ?? 'debian:') ?? [];
  if (base?.place != null || (kind === 'image' && /^\.{0,2}\//.test(name!)))
    return fault(`its environment is in the image ${base!.name}, whose own packages are used`);
  if (kind === 'image') return success(name!.includes('@') ? name! : `${name}@${base!.digest}`);
  const names = await readdir(join(layers.at(-1)!, 'opt/env/lib')).catch(() => [] as string[]);
  const version = names.flatMap((one) => /^python(\d+\.\d+)$/.exec(one)?.[1] ?? [])[0];
  return version === undefined ? fault('its environment has no Python') : success(`python:${version}`);
}

/** The name and version under which the repository is installed in the environment. */
async function installedProject({ layers }: EnvironmentView): Promise<HarborTask['installed']> {
  const library = join(layers.at(-1)!, 'opt/env/lib');
  for (const python of await readdir(library).catch(() => [] as string[])) {
    const packages = join(library, python, 'site-packages');
    for (const folder of await readdir(packages).catch(() => [] as string[])) {
      const [, name, version] = /^([^-]+)-([^-]+)\.dist-info$/.exec(folder) ?? [];
      if (version === undefined) continue;
      const from = await readFile(join(packages, folder, 'direct_url.json'), 'utf8').catch(() => '');
      if (from.includes('"file:///testbed"')) return { name: name!, version };
    }
  }
  return null;
}

function guardOf({ reasonOf, solution, folders, tests }: Protection, paths: ReadonlySet<string>): Guard {
  return {
    protected: [...paths].filter((path) => reasonOf(path) !== null).sort(),
    solution: [...solution].sort(),
    new: {
      names: RUNNER_FILES,
      pattern: String.raw`\.pth$|(^|/)__pycache__/|\.py[co]$|(^|/)([^/]*\.)?(egg-info|dist-info|egg-link|egg)(/|$)`,
      folders,
      stems: [
        ...tests.map((path) => path.replace(/\.py$/, '')),
        ...folders.map((folder) => folder.slice(0, -1)),
      ],
    },
  };
}

/** Seconds that packing a repository may take. */
const TIMEOUT = 600;

/** Works in a folder that is gone afterwards. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'swemake-harbor-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A compressed archive of what is called `name` in a folder; the same files give the same bytes. */
function packed(folder: string, name: string, env: NodeJS.ProcessEnv): Promise<Result<Buffer, string>> {
  return inFolder(async (made) => {
    const archive = join(made, 'archive.tar');
    const same = ['--sort=name', '--mtime=@1000000000', '--owner=0', '--group=0', '--numeric-owner'];
    const argv = ['tar', ...same, '-C', folder, '-cf', archive, name];
    const end = await runProgram({ argv, env, timeout: TIMEOUT });
    return hasSucceeded(end) ? success(gzipSync(await readFile(archive))) : fault(`tar: ${complaintOf(end)}`);
  });
}

function packedHidden(
  { withheld, folder }: FirstState,
  env: NodeJS.ProcessEnv,
): Promise<Result<Buffer, string>> {
  return inFolder(async (made) => {
    for (const one of withheld) {
      const place = join(made, one.path);
      await mkdir(dirname(place), { recursive: true });
      if (one.kind === 'link') await symlink(one.target, place);
      else {
        await copyFile(join(folder, one.file), place);
        await chmod(place, one.executable ? 0o755 : 0o644);
      }
    }
    return packed(made, '.', env);
  });
}

/** The script that grades, which each task has a copy of. */
export function verifyScript(): Promise<string> {
  return readFile(join(packageRoot(), 'grading/run/harbor_verify.py'), 'utf8');
}
