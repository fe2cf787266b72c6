/**
 * A whole project that needs no package index but for pip itself: a repository made here, tests by unittest,
 * one bug per instance. Quick enough to be built many times.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { Project } from './project.ts';
import { warmCache } from './warm-cache.ts';

export interface TinyOptions {
  /** Absent: one that goes away with the test file. */
  folder?: string;
  instances?: number;
  /** Seconds that each test run takes. */
  seconds?: number;
  type?: 'auto' | 'sandbox' | 'local' | 'docker';
  /** Keys of the deployment, as lines of YAML that are indented by four spaces. */
  deployment?: string;
  /** YAML below the recipe, indented by six spaces. */
  recipe?: string;
  env?: Record<string, string>;
  /** More files of the repository. */
  files?: Record<string, string>;
  /** Makes the folders that the deployment mounts. Their content decides the steps of environments. */
  mounted?: (folder: string) => void;
  /** The test looks at what lies in a cache, or at how an environment begins. */
  isCold?: boolean;
  /** Its tasks are validated already, once for all such projects of a test file. */
  isValidated?: boolean;
}

/** Writes `p.yaml`, `rows.jsonl` and the repository; instances are `tiny.0`, `tiny.1`, … */
export function tinyProject(options: TinyOptions = {}): Project {
  if (options.isValidated) return copyOfValidated(options);
  const { folder, instances = 3, seconds = 0, type = 'sandbox', recipe = '', files = {} } = options;
  const project = new Project(folder, options.env);
  const { deployment, mounted } = options;
  const alike = mounted === undefined ? {} : { deployment: deployment!, mounted };
  if (!options.isCold && type === 'sandbox')
    warmCache(project.folder, options.env?.PATH, (at, env) => builtOnce(at, env, alike), alike.deployment);
  mounted?.(project.folder);
  const commit = makeRepository(project.path('repo'), instances, seconds, files);
  const rows = Array.from({ length: instances }, (_, index) => ({
    instance_id: `tiny.${index}`,
    repo: 'owner/tiny',
    source: `git+./repo@${commit}`,
    patch: bug(index),
    patch_role: 'bug',
    FAIL_TO_PASS: [`test_value (test_m${index}.Test)`],
    PASS_TO_PASS: [`test_other (test_m${index}.Test)`],
    problem_statement: `m${index} is wrong`,
  }));
  writeFileSync(project.path('rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(project.path('p.yaml'), tinyYaml(type, recipe, options.deployment));
  return project;
}

/** Folders of projects whose tasks are validated, by their options. */
const validated = new Map<string, string>();

function copyOfValidated({ isValidated: _, folder, ...options }: TinyOptions): Project {
  const name = JSON.stringify(options);
  let source = validated.get(name);
  if (source === undefined) {
    const made = tinyProject(options);
    source = made.folder;
    const argv = [join(packageRoot(), 'bin/swemake.js'), 'build', 'p.yaml', 'filter'];
    const env = { ...process.env, ...options.env };
    spawnSync(process.execPath, argv, { cwd: source, env, stdio: 'ignore' });
    // What it did is not what the test looks at.
    rmSync(made.path('.swemake/runs'), { recursive: true, force: true });
    validated.set(name, source);
  }
  const project = new Project(folder, options.env);
  execFileSync('cp', ['-a', `${source}/.`, project.folder]);
  return project;
}

/** Cache of a tiny project in `folder` whose environment is built; null where none can be built. */
function builtOnce(
  folder: string,
  env: NodeJS.ProcessEnv,
  alike: Pick<TinyOptions, 'deployment' | 'mounted'>,
): string | null {
  const project = tinyProject({ folder, instances: 1, isCold: true, ...alike });
  const argv = [join(packageRoot(), 'bin/swemake.js'), 'build', 'p.yaml', 'environments.train'];
  const { status } = spawnSync(process.execPath, argv, { cwd: project.folder, env, stdio: 'ignore' });
  return status === 0 ? project.path('.swemake') : null;
}

/** The project file, for a tiny project that goes on with another recipe. */
export function tinyYaml(type: string, recipe: string, deployment = ''): string {
  const network = type === 'local' ? '' : '\n    network: { build: proxy, grade: off }';
  return `version: 1
name: tiny
dataset:
  train: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      pip: []
      install: []
      test: python -m unittest -v
      parser: unittest
${recipe}
deployments:
  box:
    type: ${type}${network}
${deployment}validation: { deployment: box, timeout: 60s }
`;
}

function makeRepository(
  folder: string,
  instances: number,
  seconds: number,
  files: Record<string, string>,
): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (let index = 0; index < instances; index += 1) {
    writeFileSync(join(folder, `m${index}.py`), `VALUE = ${index}\n`);
    const body = [
      'import time, unittest',
      `from m${index} import VALUE`,
      'class Test(unittest.TestCase):',
      '    def test_value(self):',
      `        time.sleep(${seconds})`,
      `        self.assertEqual(VALUE, ${index})`,
      '    def test_other(self):',
      '        pass',
      '',
    ];
    writeFileSync(join(folder, `test_m${index}.py`), body.join('\n'));
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  return git('rev-parse', 'HEAD').trim();
}

function bug(index: number): string {
  const file = `m${index}.py`;
  return `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-VALUE = ${index}\n+VALUE = -1\n`;
}
