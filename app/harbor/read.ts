/** Brings together what a task of Harbor is made of: the answers of a build, and the instance's first state. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { whenAbsent } from '../../basics/absent.ts';
import { packageRoot } from '../../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { HOST_SERVICES } from '../../contract/machine.ts';
import { toolsOf } from '../../contract/tools.ts';
import type { Work } from '../../contract/work.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { buildAllowList } from '../../executors/proxy/allow-list.ts';
import type { IntegrityBaseline } from '../../grading/rules/integrity.ts';
import { protectionOf } from '../../grading/rules/protect.ts';
import { NO_FILES } from '../../grading/rules/task-files.ts';
import { prepareChecks } from '../../grading/run/setup.ts';
import type { Outcome } from '../../schemas/outcome.ts';
import { type BuiltEnvironment, environmentView, readEnvironment } from '../../tasks/environment/view.ts';
import type { Task } from '../episodes/tasks.ts';
import type { Session } from '../session.ts';
import { type GraderTask, recordFiles } from './grader/task.ts';
import { GRADER, type HarborTask, whyNoTask } from './task.ts';

/** What a Harbor task is made of; its archives are written while the first state is held. */
export interface ReadTask {
  task: HarborTask;
  /** `environment/repository.tar.gz`. */
  repository: Buffer;
  /** Contents of hidden tests, by their names in `tests/hidden`. */
  hidden: ReadonlyMap<string, Buffer>;
}

/** A fault is the reason why there is no such task. */
export async function readHarborTask(
  found: Task,
  packages: readonly string[],
  session: Session,
): Promise<Result<ReadTask, string>> {
  const { services, project } = session;
  const { baseline, rules, ofVerdict, tests, grade, rollout, recipe, isValidated } = found;
  const built = await readEnvironment(ofVerdict, services);
  const view = await environmentView(built, services, grade);
  if (!view.ok) return fault(detailOf(view.fault));
  const image = await imageOf(built, view.value);
  const refused = whyNoTask({ recipe, image: image.ok ? image.value : null });
  if (refused !== null) return fault(refused);
  if (!image.ok) return image;
  const instance = await found.instance();
  const { timeout, protect, max_patch: maxPatch } = rules;
  const request = {
    instance,
    tests,
    work: grade,
    timeout,
    protect,
    baseline,
    environment: ofVerdict,
    isValidated,
  };
  const context = { ...services, log: () => undefined, waits: () => undefined };
  const setup = await prepareChecks(request, toolsOf(context, 'grade', HOST_SERVICES));
  if (!setup.ok) return fault(detailOf(setup.fault));
  const state = await setup.value.state();
  if (!state.ok) return fault(detailOf(state.fault));
  try {
    const { withheld, copies, commit, view: source, folder } = state.value;
    const { parser, services: beside, evalCommands, testCommand, protectedBy } = setup.value;
    const { files, ...context } = protectedBy.context;
    const graded: GraderTask = {
      ...{ instance, parser: parser.name, services: beside, evalCommands, testCommand, timeout, maxPatch },
      ...{ preset: rules.preset, suspicion: rules.suspicion, baseline: inContainer(baseline), withheld },
      protection: {
        ...{ command: protectedBy.command, context },
        files: recordFiles(files ?? NO_FILES, (read) =>
          protectionOf(instance, protectedBy.command, { ...context, files: read }),
        ),
      },
      copies: copies.filter(({ at }) => at.startsWith('/testbed/')),
    };
    const task: HarborTask = {
      project: project.config.name,
      ...{ instance, recipe, tests, packages, commit, graded },
      image: image.value,
      installed: await installedProject(view.value),
      variables: view.value.variables,
      agentTime: project.config.agent?.limits.time ?? null,
      memory: rollout.limits.memory ?? null,
      cpus: rollout.limits.cpus ?? null,
      isOnline: rollout.network !== 'off',
      testNetwork: testNetworkOf(grade),
    };
    const repository = await packed(source.layer, 'testbed', services.env);
    if (!repository.ok) return repository;
    const hidden = new Map<string, Buffer>();
    for (const one of withheld)
      if (one.kind === 'file') hidden.set(one.file, await readFile(join(folder, one.file)));
    return success({ task, repository: repository.value, hidden });
  } finally {
    state.value.release();
  }
}

/** Harbor's lists of hosts have no ports. */
function testNetworkOf({ network, allow_hosts: more }: Work): HarborTask['testNetwork'] {
  if (network !== 'proxy') return network;
  return buildAllowList(
    [],
    more.map((host) => host.replace(/:\d+$/, '')),
  );
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
  const names = await readdir(join(layers.at(-1)!, 'opt/env/lib')).catch(whenAbsent<string[]>([]));
  const version = names.flatMap((one) => /^python(\d+\.\d+)$/.exec(one)?.[1] ?? [])[0];
  return version === undefined ? fault('its environment has no Python') : success(`python:${version}`);
}

/** The name and version under which the repository is installed in the environment. */
async function installedProject({ layers }: EnvironmentView): Promise<HarborTask['installed']> {
  const library = join(layers.at(-1)!, 'opt/env/lib');
  for (const python of await readdir(library).catch(whenAbsent<string[]>([]))) {
    const packages = join(library, python, 'site-packages');
    for (const folder of await readdir(packages).catch(whenAbsent<string[]>([]))) {
      const [, name, version] = /^([^-]+)-([^-]+)\.dist-info$/.exec(folder) ?? [];
      if (version === undefined) continue;
      const from = await readFile(join(packages, folder, 'direct_url.json'), 'utf8').catch(whenAbsent(''));
      if (from.includes('"file:///testbed"')) return { name: name!, version };
    }
  }
  return null;
}

/**
 * What validation knows of the task's runner, as far as it holds in another image: Python may be another build there, which
 * compiles code otherwise. Patches are graded once, so what only repeats use is left out as well.
 */
function inContainer(baseline: IntegrityBaseline | null): IntegrityBaseline | null {
  if (baseline === null) return null;
  const { mutants: _, ...rest } = baseline;
  return { ...rest, operands: null };
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

/** Files of the grader, which each task has a copy of: the program, the witness, and the parser of Python's syntax. */
export async function graderFiles(): Promise<Map<string, Buffer>> {
  const root = packageRoot();
  const witness = 'grading/run/witness';
  const parts = (await readdir(join(root, witness))).filter((name) => name.endsWith('.py'));
  const trees = dirname(dirname(createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm')));
  const own = 'node_modules/@vscode/tree-sitter-wasm';
  const wasm = ['tree-sitter.js', 'tree-sitter.wasm', 'tree-sitter-python.wasm'];
  const places: [string, string][] = [
    [GRADER, join(root, 'dist', GRADER)],
    ...parts.map((name): [string, string] => [`${witness}/${name}`, join(root, witness, name)]),
    ...['package.json', 'LICENSE'].map((name): [string, string] => [`${own}/${name}`, join(trees, name)]),
    ...wasm.map((name): [string, string] => [`${own}/wasm/${name}`, join(trees, 'wasm', name)]),
  ];
  const files = await Promise.all(places.map(async ([path, from]) => [path, await readFile(from)] as const));
  return new Map([...files, ['package.json', Buffer.from('{"type": "module", "private": true}\n')]]);
}
