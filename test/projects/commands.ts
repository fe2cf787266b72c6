/**
 * What scripts of trainings start: they really run, in namespaces without a network, with programs that only write down how they
 * were called.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { Configuration, System } from './seeds.ts';

/** Name of an option, `env NAME` for a variable of the job, or a key of a configuration file -> its value. */
export type Options = Record<string, unknown>;

const SILENT = [
  'pkill',
  'sleep',
  'curl',
  'pip',
  'nvidia-smi',
  'conda',
  'activate',
  'apt',
  'apt-get',
  'docker',
];

export class Commands {
  readonly folder = temporaryFolder();

  /** A checkout of what is needed of a system; null: it is not below `originals`. */
  checkout({ repository, revision, folders }: System, originals: string): string | null {
    const bare = join(originals, repository, 'repo');
    if (!existsSync(bare)) return null;
    const root = this.#root(repository);
    const git = ['--git-dir', bare, 'archive', revision, ...folders];
    execFileSync('tar', ['-x', '-C', root], { input: execFileSync('git', git, { maxBuffer: 1 << 30 }) });
    return root;
  }

  /** The folder of a system, with an empty file or folder in the place of each that commands name. */
  standIn({ repository }: System): string {
    const root = this.#root(repository);
    mkdirSync(join(root, 'SkyRL/skyrl-train'), { recursive: true });
    const models = ['qwen3-32B', 'qwen3-8B', 'qwen3-4B-Instruct-2507'].map(
      (name) => `scripts/models/${name}.sh`,
    );
    for (const path of [...models, 'train.py', 'train_async.py'].flatMap((name) => [name, `slime/${name}`])) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), path.endsWith('.sh') ? 'MODEL_ARGS=()\n' : '');
    }
    return root;
  }

  /** What their script starts, or what their file says. */
  theirs({ script, configuration }: Configuration, root: string, env: Record<string, string>): Options {
    const path = join(root, script ?? configuration!);
    const text = readFileSync(path, 'utf8');
    return script === undefined ? flat(parse(text)) : this.#called(text, path, env);
  }

  /** What the project would start; `profile` null: without one. */
  ours(project: string, profile: string | null, env: Record<string, string>): Options {
    const words = ['show', `projects/${project}`, '--training', '--json'];
    const told = execFileSync(
      process.execPath,
      ['bin/swemake.js', ...words, ...(profile === null ? [] : ['--profile', profile])],
      {
        cwd: packageRoot(),
        env: { ...process.env, ...env, WANDB_API_KEY: 'x' },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const { trainings } = JSON.parse(told) as {
      trainings: { files: Record<string, string>; variables: Record<string, string> }[];
    };
    const { files, variables } = trainings.at(-1)!;
    if (files['torchtune.yaml'] !== undefined) return flat(parse(files['torchtune.yaml']));
    const work = join(this.folder, 'training');
    mkdirSync(work, { recursive: true });
    const script = files['train.sh']!.replaceAll('/WORK', work);
    return this.#called(script, join(work, 'train.sh'), { ...env, ...variables });
  }

  /** A value as a cell of a table, without places of this machine. */
  shown(value: unknown): string {
    if (value === undefined) return '';
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `\`${this.withoutPlaces(text).replaceAll('|', '\\|')}\``;
  }

  withoutPlaces(text: string): string {
    return text.replaceAll(this.folder, '…').replaceAll(`${packageRoot()}/`, '…/');
  }

  #root(repository: string): string {
    // The table has short names.
    const root = join(this.folder, repository.split('+')[1]!);
    mkdirSync(root, { recursive: true });
    return root;
  }

  #called(text: string, path: string, env: Record<string, string>): Options {
    const [bin, record, data] = ['bin', 'called.jsonl', 'data.jsonl'].map((name) =>
      join(this.folder, name),
    ) as [string, string, string];
    writePrograms(bin);
    writeFileSync(record, '');
    writeFileSync(path, text.replaceAll('\r', ''));
    writeFileSync(data, '');
    const { stderr } = spawnSync('unshare', ['-rmpn', '--fork', '--mount-proc', 'bash', path], {
      cwd: dirname(path),
      env: {
        ...{ PATH: `${bin}:/usr/bin:/bin`, HOME: this.folder, RECORD: record },
        ...{ PROMPT_DATA: data, RUN_TIMESTAMP: 'TIME', ...env },
      },
      encoding: 'utf8',
      timeout: 120_000,
    });
    const calls = readFileSync(record, 'utf8').trim().split('\n').filter(Boolean);
    const training = calls
      .map((line) => JSON.parse(line) as string[])
      .find((words) => words.some((word) => /(^|\/)train(_async)?\.py$|\.(main_swe|skyrl_main)$/.test(word)));
    if (training === undefined) throw new Error(`${path} started no training\n${stderr.slice(-2000)}`);
    return optionsOf(training);
  }
}

/** Whether two values mean the same: 1.0e-6 is 1e-6, True is true, a list of one path is that path. */
export function isSame(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other);
}

/** Names that two commands differ in. */
export function differences(one: Options, other: Options): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return names.filter((name) => !isSame(one[name], other[name]));
}

function plain(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .replaceAll(/['"]/g, '')
    .toLowerCase();
  return text !== '' && !Number.isNaN(Number(text)) ? String(Number(text)) : text;
}

function writePrograms(bin: string): void {
  if (existsSync(bin)) return;
  mkdirSync(bin);
  const note = `/usr/bin/python3 -c 'import json, os, sys; open(os.environ["RECORD"], "a").write(json.dumps(sys.argv[1:]) + "\\n")'`;
  const python = `#!/bin/bash
case "$2" in
  *snapshot_download*) echo /WEIGHTS; exit 0 ;;
  *json.dumps*) exec /usr/bin/python3 "$@" ;;
esac
[ "$1" = -c ] || exec ${note} python "$@"
`;
  const ray = `#!/bin/bash
[ "$1 $2" = "job status" ] && { echo SUCCEEDED; exit 0; }
[ "$1 $2" = "job submit" ] && exec ${note} ray "$@"
exit 0
`;
  const silent = Object.fromEntries(SILENT.map((name) => [name, '#!/bin/bash\nexit 0\n']));
  const hostname = '#!/bin/bash\necho 127.0.0.1\n';
  for (const [name, text] of Object.entries({ python, python3: python, ray, hostname, ...silent })) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
}

function optionsOf(words: readonly string[]): Options {
  const found: Options = {};
  const given = words.find((word) => word.startsWith('--runtime-env-json='));
  if (given !== undefined) {
    const { env_vars } = JSON.parse(given.slice('--runtime-env-json='.length)) as {
      env_vars: Record<string, string>;
    };
    for (const [name, value] of Object.entries(env_vars)) found[`env ${name}`] = value;
  }
  let flag: string | null = null;
  for (const word of words.slice(words.indexOf('--') + 1)) {
    const pair = /^\+*([\w.]+)=(.*)$/s.exec(word);
    if (pair !== null && flag === null) found[pair[1]!] = pair[2];
    else if (/^--[a-z]/.test(word)) {
      flag = word;
      found[flag] = true;
    } else if (flag !== null) found[flag] = found[flag] === true ? word : `${String(found[flag])} ${word}`;
  }
  return found;
}

function flat(value: unknown, path = ''): Options {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { [path]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, one]) => flat(one, path === '' ? key : `${path}.${key}`)),
  );
}
