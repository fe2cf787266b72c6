/**
 * A small task with tests by pytest, and the sandbox in which patches to it are really graded. pytest comes from
 * the package index, once per version and machine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { type Result, success } from '../../basics/result.ts';
import type { Deployment, EnvironmentView } from '../../executors/deployment.ts';
import { gradeAlone, gradePatch, verdictOf } from '../../grading/grade.ts';
import { type GradeVerdict, unrewarded } from '../../grading/grade-verdict.ts';
import { testCommand } from '../../grading/logs/test-command.ts';
import type { PatchSummary } from '../../grading/rules/candidate.ts';
import type { Suspicion } from '../../grading/rules/findings.ts';
import { baselineOf, type IntegrityBaseline } from '../../grading/rules/integrity.ts';
import type { KeptMutant } from '../../grading/rules/mutants.ts';
import { DEFAULT_PRESET, findPreset, PRESETS } from '../../grading/rules/presets.ts';
import { protectionOf } from '../../grading/rules/protect.ts';
import { pluginPackages } from '../../grading/rules/runner-packages.ts';
import { commandsOf } from '../../grading/rules/services.ts';
import type { TaskFiles } from '../../grading/rules/task-files.ts';
import { runCheck } from '../../grading/run/check.ts';
import { findMutants } from '../../grading/run/mutants.ts';
import type { CheckSetup } from '../../grading/run/setup.ts';
import type { Recorder } from '../../grading/run/witness.ts';
import type { ChangedFile } from '../../grading/suspicion/suspicion.ts';
import { findParser } from '../../parsers/registry.ts';
import { goldPatch, type PatchStep } from '../../patches/apply.ts';
import type { Instance } from '../../schemas/instance.ts';
import type { Infra, Outcome } from '../../schemas/outcome.ts';
import type { Service } from '../../schemas/recipe.ts';
import type { FirstState } from '../../tasks/first-state/first-state.ts';
import { LowerFiles } from '../../tasks/first-state/lower.ts';
import { makeFirstState } from '../../tasks/first-state/make.ts';
import { settled } from '../../tasks/first-state/settled.ts';
import { kinds, makeSandbox } from '../executors/sandbox-fixture.ts';
import { temporaryFolder } from '../rig/folder.ts';

export type Files = Record<string, string | Buffer | null>;

/** The repository with its bug in place: `value` gives the wrong number. */
export const REPOSITORY: Files = {
  'pkg/__init__.py': '',
  'pkg/core.py': 'def value():\n    return -1\n\n\ndef other():\n    return 2\n',
  'pkg/util.py': 'HELP = "help"\n',
  'tests/conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef two():\n    return 2\n',
  'tests/helpers.py': 'def same(a, b):\n    return a == b\n',
  'tests/test_core.py': [
    'from pkg.core import other, value',
    'from tests.helpers import same',
    '',
    '',
    'def test_value():',
    '    assert same(value(), 1)',
    '',
    '',
    'def test_other(two):',
    '    assert other() == two',
    '',
  ].join('\n'),
  'tests/__init__.py': '',
  'setup.cfg': '[tool:pytest]\naddopts = -ra\n',
};
export const SOLUTION: Files = {
  'pkg/core.py': 'def value():\n    return 1\n\n\ndef other():\n    return 2\n',
};

export const FAIL_TO_PASS = ['tests/test_core.py::test_value'];
export const PASS_TO_PASS = ['tests/test_core.py::test_other'];

/** Python's own virtual environment by hand, so that no build is needed; null without an index. */
export function pytestLayer(...requirements: string[]): EnvironmentView | null {
  return layerWith('python3', requirements);
}

/** The same on the system's own Python, which every user of the machine can run. */
export function systemLayer(...requirements: string[]): EnvironmentView | null {
  return layerWith('/usr/bin/python3', requirements);
}

/** The same on a Python of that version, such as `3.12`; null without one. */
export function versionLayer(version: string, ...requirements: string[]): EnvironmentView | null {
  const root = process.env.PYENV_ROOT ?? join(homedir(), '.pyenv');
  const versions = join(root, 'versions');
  const managed = existsSync(versions) ? readdirSync(versions) : [];
  const own = managed
    .filter((name) => name.startsWith(`${version}.`))
    .map((name) => join(versions, name, 'bin/python3'));
  for (const program of [`python${version}`, ...own]) {
    const layer = layerWith(program, requirements);
    if (layer !== null) return layer;
  }
  return null;
}

function layerWith(python3: string, requirements: string[]): EnvironmentView | null {
  const asked = 'import sys; print(sys.executable, sys.base_prefix, "%d.%d" % sys.version_info[:2])';
  const said = spawnSync(python3, ['-c', asked], { encoding: 'utf8' }).stdout ?? '';
  const [program, prefix, version] = said.trim().split(' ');
  if (program === undefined || prefix === undefined || version === undefined) return null;
  const of = prefix === '/usr' && python3 !== 'python3' ? [version, 'system'] : [version];
  const name = [...of, ...requirements].join('_').replace(/[^\w.]+/g, '-');
  const layer = join(packageRoot(), 'node_modules/.cache/swemake-test-environments', name);
  // A system's own Python is there already; any other one is shown at a place of its own.
  const home = prefix === '/usr' ? prefix : '/opt/python';
  const python = { program, home, version };
  if (!existsSync(layer) && !makeLayer(layer, python, requirements)) return null;
  const variables = {
    PATH: '/opt/env/bin:/usr/local/bin:/usr/bin:/bin',
    LANG: 'C.UTF-8',
    ...(home === prefix ? {} : { LD_LIBRARY_PATH: `${home}/lib` }),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const mounts = home === prefix ? [] : [{ from: prefix, to: home }];
  return { layers: [layer], mounts, links: {}, variables };
}

function makeLayer(
  layer: string,
  { program, home, version }: { program: string; home: string; version: string },
  requirements: string[],
): boolean {
  mkdirSync(dirname(layer), { recursive: true });
  const making = mkdtempSync(join(dirname(layer), 'making-'));
  chmodSync(making, 0o755);
  const env = join(making, 'opt/env');
  const packages = join(env, `lib/python${version}/site-packages`);
  mkdirSync(join(env, 'bin'), { recursive: true });
  const pip = ['-m', 'pip', 'install', '-q', '--no-compile', '--target', packages, ...requirements];
  const installed = spawnSync(program, pip, { timeout: 170_000, stdio: 'ignore' });
  if (installed.status !== 0) {
    rmSync(making, { recursive: true });
    return false;
  }
  // As an installer leaves them: without, each start of pytest compiles it anew. Its own folder is in no compiled file.
  const inside = ['-d', packages.slice(making.length), packages];
  spawnSync(program, ['-m', 'compileall', '-q', ...inside], { stdio: 'ignore' });
  writeFileSync(join(env, 'pyvenv.cfg'), `home = ${home}/bin\ninclude-system-site-packages = false\n`);
  for (const link of ['python', 'python3'])
    symlinkSync(`${home}/bin/python${version}`, join(env, 'bin', link));
  const script = '#!/opt/env/bin/python\nimport sys\nfrom pytest import main\nsys.exit(main())\n';
  writeFileSync(join(env, 'bin/pytest'), script, { mode: 0o755 });
  try {
    renameSync(making, layer);
  } catch {
    // Another test file was quicker.
    rmSync(making, { recursive: true });
  }
  return existsSync(layer);
}

/** A repository of one commit, as source layers are. */
export function sourceLayer(files: Files, root = temporaryFolder('swemake-grade-')): string {
  mkdirSync(root, { recursive: true });
  chmodSync(root, 0o755);
  const testbed = join(root, 'testbed');
  writeFiles(testbed, files);
  git(testbed, 'init', '-q', '-b', 'main');
  git(testbed, 'add', '-A', '-f');
  git(testbed, 'commit', '-q', '-m', 'Task');
  return root;
}

/** Repositories of one commit, by their files: hundreds of diffs are made to a few of them. */
const committed = new Map<string, string>();

/** The diff that an agent would hand in: `changes` made to the repository; null removes a file. */
export function diffOf(changes: Files, files: Files = REPOSITORY): string {
  const name = JSON.stringify(files);
  let folder = committed.get(name);
  if (folder === undefined) {
    folder = temporaryFolder('swemake-diff-');
    writeFiles(folder, files);
    git(folder, 'init', '-q', '--template=');
    git(folder, 'add', '-A', '-f');
    git(folder, 'commit', '-q', '-m', 'Task');
    committed.set(name, folder);
  }
  const copy = mkdtempSync(join(tmpdir(), 'swemake-diff-'));
  try {
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    writeFiles(copy, changes);
    git(copy, 'add', '-A', '-f');
    return git(copy, 'diff', '--cached', '--binary', '--no-renames', 'HEAD');
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    rmSync(path, { recursive: true, force: true });
    if (content === null) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'core.autocrlf=false'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', maxBuffer: 1 << 28 });
}

export interface TaskOptions {
  files?: Files;
  solution?: Files;
  test?: string;
  evalCommands?: string[];
  start?: string[];
  services?: Service[];
  parser?: string;
  testPatch?: string;
  failToPass?: string[];
  passToPass?: string[];
  timeout?: number;
  /** Where the source layer is made; default: a folder that goes with the test file. */
  folder?: string;
  /** bug: the source is solved, and the task's patch makes the bug. */
  role?: 'fix' | 'bug';
}

/** The rules' view of files that a test has in hand. */
export function filesOf(files: Files): TaskFiles {
  const paths = new Set(Object.keys(files).filter((path) => files[path] !== null));
  const read = (path: string) => (paths.has(path) ? `${files[path]}` : null);
  return { paths, read, linked: () => null };
}

export class GradedTask {
  readonly setup: CheckSetup;
  readonly logs: string[] = [];
  readonly #files: Files;
  #state: ReturnType<CheckSetup['state']> | null = null;
  readonly #test: string;
  baseline: IntegrityBaseline | null = null;
  repeats = 0;
  /** Whether validation records what meets at assertions. */
  isTyped = false;
  /** Code is not judged, so that each test shows what the other checks do alone. */
  suspicion: Suspicion = 'off';

  constructor(deployment: Deployment, environment: EnvironmentView, options: TaskOptions = {}) {
    const { files = REPOSITORY, solution = SOLUTION, timeout = 60, parser = 'pytest' } = options;
    const { evalCommands = [] } = options;
    this.#files = files;
    const role = options.role ?? 'fix';
    const solved = { ...files, ...solution };
    const buggy = Object.fromEntries(Object.keys(solution).map((name) => [name, files[name] ?? null]));
    const instance = {
      instance_id: 'task',
      patch: role === 'fix' ? diffOf(solution, files) : diffOf(buggy, solved),
      patch_role: role,
      test_patch: options.testPatch ?? '',
      FAIL_TO_PASS: options.failToPass ?? FAIL_TO_PASS,
      PASS_TO_PASS: options.passToPass ?? PASS_TO_PASS,
    } as unknown as Instance;
    const own = role === 'fix' ? files : solved;
    const source = options.folder === undefined ? sourceLayer(own) : sourceLayer(own, options.folder);
    const test = options.test ?? 'python -m pytest -rA -v -p no:cacheprovider';
    this.#test = test;
    this.setup = {
      deployment,
      environment,
      state: () => (this.#state ??= stateOf(this.setup, source)),
      instance,
      start: options.start ?? [],
      services: options.services ?? [],
      evalCommands,
      testCommand: testCommand(test, instance),
      parser: findParser(parser)!,
      protection: this.#protection(instance, test, evalCommands, null),
      limits: { memory: 1 << 30, pids: 128, disk: 1 << 28 },
      network: 'off',
      timeout,
      signal: new AbortController().signal,
      alone: (_, work) => work(),
      log: (text) => this.logs.push(text),
    };
  }

  /** What validation learns from one untouched run and one with the gold patch. */
  async validate(): Promise<IntegrityBaseline> {
    const { setup } = this;
    const runs = [];
    const gold = goldPatch(setup.instance);
    const ways: [PatchStep | null, Recorder[]][] = [
      [null, []],
      [gold, ['reads']],
      ...(this.isTyped ? ([[gold, ['operands']]] as [PatchStep, Recorder[]][]) : []),
    ];
    for (const [patch, record] of ways) {
      const ran = await runCheck({ ...setup, record }, 'run', patch);
      if (!ran.ok) throw new Error(ran.fault.status === 'ok' ? 'ok' : ran.fault.detail);
      runs.push(ran.value.evidence);
    }
    const { FAIL_TO_PASS: f2p, PASS_TO_PASS: p2p } = setup.instance;
    const { rules } = findPreset(DEFAULT_PRESET)!;
    this.baseline = baselineOf([runs[1]!], [runs[0]!], [...f2p, ...p2p], rules, runs[2] ?? null);
    setup.protection = this.#protection(setup.instance, this.#test, setup.evalCommands, this.baseline);
    return this.baseline;
  }

  /** As validation does with `mutants`: looks for mutants of the gold patch's code that the listed tests catch. */
  async keepMutants(wanted: number): Promise<KeptMutant[]> {
    const changed: ChangedFile[] = [];
    const gold = {
      ...goldPatch(this.setup.instance),
      inspect: (files: ChangedFile[]) => void changed.push(...files),
    };
    const ran = await runCheck(this.setup, 'run', gold);
    if (!ran.ok) throw new Error(JSON.stringify(ran.fault));
    const { rules } = findPreset(DEFAULT_PRESET)!;
    const found = await findMutants(this.setup, changed, { wanted, rules, seconds: 10 });
    if (!found.ok) throw new Error(JSON.stringify(found.fault));
    this.baseline = { ...this.baseline!, mutants: found.value };
    return found.value;
  }

  #protection(
    instance: Instance,
    test: string,
    evalCommands: readonly string[],
    baseline: IntegrityBaseline | null,
  ) {
    const opened = [...commandsOf(this.setup?.services ?? []), ...evalCommands];
    const plugins = baseline === null ? null : pluginPackages(baseline);
    const reads = baseline?.reads ?? null;
    return protectionOf(instance, test, {
      files: filesOf(this.#files),
      evalCommands: opened,
      plugins,
      reads,
    });
  }

  diff(changes: Files): string {
    return diffOf(changes, this.#files);
  }

  async grade(
    diff: string,
    preset = DEFAULT_PRESET,
    maxPatch = 10 << 20,
    log = this.setup.log,
  ): Promise<GradeVerdict> {
    const request = {
      diff,
      preset: findPreset(preset)!,
      max_patch: maxPatch,
      repeats: this.repeats,
      suspicion: this.suspicion,
      baseline: this.baseline,
    };
    const setup = { ...this.setup, log };
    const prepare = async (baseline: IntegrityBaseline) =>
      success({
        ...setup,
        protection: this.#protection(setup.instance, this.#test, setup.evalCommands, baseline),
      });
    const graded =
      this.baseline === null ? await gradeAlone(request, setup, prepare) : await gradePatch(request, setup);
    if (!graded.ok) throw new Error(JSON.stringify(graded.fault));
    return graded.value.verdict;
  }

  /** Runs a patch once, as it is, and grades the run by every preset. */
  async gradeByAll(diff: string): Promise<GradeVerdict[]> {
    const { setup, baseline } = this;
    let summary: PatchSummary = { files: 0, dropped: [], findings: [] };
    const tell = (told: PatchSummary) => {
      summary = told;
    };
    const ran = await runCheck(setup, 'patch', { title: 'patch', diff, role: 'apply', tell });
    const patch = { files: summary.files, bytes: Buffer.byteLength(diff), dropped: summary.dropped };
    if (ran.ok) {
      const { evidence } = ran.value;
      return PRESETS.map((preset) =>
        verdictOf(evidence, patch, summary.findings, { preset, baseline, suspicion: this.suspicion }, setup),
      );
    }
    const { fault: outcome } = ran;
    if (outcome.status !== 'failed') throw new Error(JSON.stringify(outcome));
    return PRESETS.map((preset) => unrewarded(outcome, preset, patch, summary.findings));
  }
}

const lowers = new Map<string, LowerFiles>();

/** A first state without a cache, beside the source layer, with which it goes. */
async function stateOf(setup: CheckSetup, source: string): Promise<Result<FirstState, Infra | Outcome>> {
  const { instance: task, environment } = setup;
  const into = join(source, 'state');
  mkdirSync(into);
  const { layers, base } = environment;
  const name = [...(base?.layers ?? []), '', ...layers].join();
  const lower = lowers.get(name) ?? new LowerFiles(layers, base?.layers ?? []);
  lowers.set(name, lower);
  const made = await makeFirstState({ task, source, lower, into, scratch: { ...setup, base } });
  if (!made.ok) return made;
  await settled(made.value);
  const folder = join(into, 'withheld');
  return success({ ...made.value, view: { layer: join(into, 'tree') }, folder, release: () => undefined });
}

/** A sandbox for the whole file, or null with a printed reason. */
export async function gradingSandbox(
  kind = kinds[0]!,
): Promise<{ deployment: Deployment; cleanup(): Promise<void> } | null> {
  try {
    return await makeSandbox(kind);
  } catch (error) {
    process.stdout.write(`skipped: ${(error as Error).message}\n`);
    return null;
  }
}
