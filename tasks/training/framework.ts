/**
 * Which program trains: the version of its package where the deployment activates it, and the commits of its folders.
 */
import { resolve } from 'node:path';
import { isKilled } from '../../basics/killed.ts';
import { hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { shellWord } from '../../basics/shell.ts';
import { digestOfList } from '../../cache/key.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import type { Services } from '../../contract/machine.ts';
import type { QuestionKind } from '../../contract/question.ts';
import { programFault } from '../../executors/program-fault.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import { RL_TRAINERS, SFT_TRAINERS } from '../../trainers/registry.ts';
import { type CommandPlace, filesOfCommand } from '../command-files.ts';
import { pinnedImage } from '../pins.ts';
import { type TrainingMachine, trainingDeployment } from './settings.ts';

/** Seconds. */
const TIMEOUT = 30;

/** Version of the package, commits of folders; `unknown` where there is none. The argument: which trainer. */
export const FRAMEWORK: QuestionKind<'sft' | 'rl', Record<string, string>> = {
  name: 'framework',
  changes: false,
  answer: (trainer, services) => askFramework(trainer, services),
};

async function askFramework(
  trainer: 'sft' | 'rl',
  services: Services,
): Promise<Result<Record<string, string>, Infra>> {
  const config = services.config.trainer?.[trainer];
  if (config === undefined || config.type === 'none') return success({});
  const found: Record<string, string> = {};
  const { distribution } =
    trainer === 'sft'
      ? SFT_TRAINERS[config.type as keyof typeof SFT_TRAINERS]
      : RL_TRAINERS[config.type as keyof typeof RL_TRAINERS];
  // In a container, the image decides it.
  if (distribution !== null && config.image === undefined) {
    const version = await askShell(versionCommand(distribution, activationOf(trainer, services)), services);
    if (!version.ok) return version;
    found[distribution] = version.value;
  }
  // A tag may mean another image tomorrow; what a lock says that it meant is run, and counts.
  const image = config.image === undefined ? undefined : pinnedImage(config.image.name, services.pins);
  if (image !== undefined && image !== config.image?.name) found.image = image;
  const folders = {
    folder: config.folder,
    module: 'module' in config ? config.module : undefined,
    megatron: 'megatron' in config ? config.megatron : undefined,
  };
  const misplaced = await wrongCommit(config, services);
  if (misplaced !== null) return fault(misplaced);
  for (const [name, folder] of Object.entries(folders)) {
    if (folder === undefined) continue;
    const place = shellWord(resolve(services.projectFolder, folder));
    const commit = await askShell(stateCommand(place), services);
    if (!commit.ok) return commit;
    found[name] = commit.value;
  }
  if ('model_args' in config && config.model_args !== undefined) {
    // A script that says the model's shape; it may lie outside of the folder, and a folder may hold changes.
    const path = resolve(services.projectFolder, config.folder ?? '.', config.model_args);
    found.model_args = (await digestOfPath(services.cache.database, path)) ?? 'unknown';
  }
  if (config.command !== undefined) {
    const files = await filesOfCommand(config.command, placeOf(trainer, config.folder, services));
    if (files.length > 0) found.command = digestOfList('files of a command', files);
  }
  return success(found);
}

/** The fault when a checkout is at another commit than the project names: its example may be gone, or be another one. */
async function wrongCommit(
  { folder, commit }: { folder?: string; commit?: string },
  services: Services,
): Promise<Infra | null> {
  if (folder === undefined || commit === undefined) return null;
  const place = resolve(services.projectFolder, folder);
  const at = await askShell(`git -C ${shellWord(place)} rev-parse HEAD`, services);
  if (!at.ok) return at.fault;
  if (at.value.startsWith(commit)) return null;
  const is = at.value === 'unknown' ? 'is no checkout of git' : `is at ${at.value.slice(0, commit.length)}`;
  return infra(
    'tool-missing',
    `${place} ${is}, and the project wants commit ${commit}: git -C ${shellWord(place)} checkout ${commit} && git -C ${shellWord(place)} submodule update --init`,
  );
}

/** Where the words of a training's command are meant. */
function placeOf(trainer: 'sft' | 'rl', folder: string | undefined, services: Services): CommandPlace {
  const { projectFolder, env, signal, cache } = services;
  const own = folder === undefined ? [] : [resolve(projectFolder, folder)];
  const folders = [...own, projectFolder];
  const activate = activationOf(trainer, services);
  return { folders, projectFolder, env, activate, signal, database: cache.database };
}

/** The line that a deployment runs before each program; null: none. */
export function activationOf(
  trainer: 'sft' | 'rl',
  { config }: Pick<TrainingMachine, 'config'>,
): string | null {
  const name = trainingDeployment(config, trainer);
  return (name === null ? undefined : config.deployments[name]?.activate) ?? null;
}

/** Where frameworks, and git's users, put what a training or a program made. */
const MADE = [
  ...['wandb', 'outputs', 'output', 'runs', 'logs', 'checkpoints', 'multirun', 'mlruns', 'lightning_logs'],
  ...['__pycache__', 'node_modules', '.venv', 'venv', '.git', '.hydra', '.cache', '.swemake'],
];
/** Half kibibytes; larger files are data. */
const LARGEST = 2048;
/** Programs, and what programs read at their start. */
const COUNTED = ['py', 'sh', 'yaml', 'yml', 'toml', 'json', 'cfg', 'ini', 'jinja', 'jinja2'];

/**
 * The commit of a folder and, where it was changed, a digest of how: two changes are two states. Programs and
 * configurations that git does not know, or ignores, are changes too, and a folder without git is known by them
 * alone.
 */
function stateCommand(place: string): string {
  const made = MADE.map((name) => `':(exclude,glob)**/${name}/**'`).join(' ');
  const counted = COUNTED.map((ending) => `'*.${ending}'`).join(' ');
  const names = COUNTED.map((ending) => `-name '*.${ending}'`).join(' -o ');
  const notMade = MADE.map((name) => `-not -path '*/${name}/*'`).join(' ');
  const small = `find -L "$@" -maxdepth 0 -type f -size -${LARGEST} -print0`;
  return [
    `[ ! -f ${place} ] || { sha256sum < ${place} | cut -c 1-16; exit; }`,
    `cd ${place} || exit`,
    'digest() { sha256sum | cut -c 1-16; }',
    'programs() { LC_ALL=C sort -z | xargs -0 -r sha256sum -- | digest; }',
    `others() { git ls-files -z --others -- ${counted} ${made} | sed -z 's|^|./|' | xargs -0 -r sh -c '${small}' find; }`,
    'if state=$(git describe --always --dirty --abbrev=40); then',
    '  case $state in *-dirty) state="$state-$(git diff --binary --no-ext-diff --no-textconv HEAD | digest)" ;; esac',
    '  [ "$(others | wc -c)" = 0 ] || state="$state-new-$(others | programs)"',
    '  echo "$state"',
    'else',
    `  echo "programs-$(find . -type f -size -${LARGEST} \\( ${names} \\) ${notMade} -print0 | programs)"`,
    'fi',
  ].join('\n');
}

function versionCommand(distribution: string, activate: string | null): string {
  const question = `import importlib.metadata as m; print(m.version("${distribution}"))`;
  const python = `"$(command -v python || command -v python3)" -c '${question}'`;
  return activate === null ? python : `${activate}\n${python}`;
}

async function askShell(
  command: string,
  { env, projectFolder, signal }: Pick<Services, 'env' | 'projectFolder' | 'signal'>,
): Promise<Result<string, Infra>> {
  const argv = ['bash', '-c', command];
  const end = await runProgram({ argv, cwd: projectFolder, env, timeout: TIMEOUT, signal });
  if (hasSucceeded(end)) {
    const last = end.stdout.trim().split('\n').at(-1) ?? '';
    return success(last === '' ? 'unknown' : last);
  }
  if (end.kind === 'exited' && !isKilled(end.exitCode)) return success('unknown');
  const doing = 'the question for the trainer’s version';
  return fault(programFault(end, { doing, remedy: 'apt-get install bash', otherwise: 'training' }));
}
