/**
 * What the task's own commands, which may build the patch, wrote into the environment. Installed packages differ from
 * patch to patch, so only a package that existed before and is different now is reported. A file that starts or
 * extends a runner is reported with its content. The gold runs show what is usual.
 */
import { readFile, stat } from 'node:fs/promises';
import { digestOf } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { EnvironmentView, Workspace } from '../../executors/deployment.ts';
import { helperFault, isMissing } from '../../grading/helper.ts';
import { shellWord, simpleCommands } from '../../grading/shell.ts';
import { type Infra, infra, type Outcome } from '../../schemas/outcome.ts';
import { hostPathsOf } from '../environment/host-paths.ts';
import type { CheckSetup } from './setup.ts';
import { DEPTH, isTooMuch, RUNNER, within } from './watch.ts';

const TIMEOUT = 120;
/** More than tests can really write; files can seem to be larger than they are. */
const MOST_BYTES = 16 * 2 ** 30;
const ROOT = '/opt/env';
/** Bytecode is as good as its source, which Python looks at first. */
const FILES = String.raw`-type f \( -name '*.py' -o -name '*.pth' -o -name '*.so' -o -name '*.txt' -o -path '*/bin/*' \)`;
/** Files that decide what runs, whatever package they belong to. */
const DECIDES = /\/bin\/|\.pth$|\/(?:entry_points|sitecustomize|usercustomize)\.(?:txt|py)$/;
/** A program of the environment, by its plain name. */
const PROGRAM = /^\/opt\/env\/bin\/([\w.-]{3,})$/;
const PACKAGES = /^(.*\/(?:site|dist)-packages)\/([^/]+)/;
/** Python's own modules, where the environment is a whole Python. */
const STANDARD = /\/lib\/python[\d.]+\//;
const RUNNERS = RUNNER.filter((name) => /^\w+$/.test(name));

/** One pytest alone builds nothing; anything else may. */
export function mayBuild({
  evalCommands,
  services,
  testCommand,
}: Pick<CheckSetup, 'evalCommands' | 'services' | 'testCommand'>): boolean {
  const commands = simpleCommands(testCommand);
  return (
    evalCommands.length + services.length > 0 ||
    commands.length !== 1 ||
    !/\b(?:pytest|py\.test|unittest)\b/.test(testCommand)
  );
}

interface Written {
  path: string;
  digest: string;
}

/** Labels of what was written since the workspace's own time `since`. `commands`: the task's own. */
export async function environmentChanges(
  since: string,
  environment: EnvironmentView,
  workspace: Workspace,
  signal: AbortSignal,
  commands: string,
): Promise<Result<string[], Infra | Outcome>> {
  const script = [
    `export LC_ALL=C PATH=/usr/bin:/bin; [ -d ${ROOT} ] || exit 0`,
    `written() { find ${ROOT} -maxdepth ${DEPTH} -name __pycache__ -prune -o ${FILES} -newerct @${since} "$@"; }`,
    ...within('written', MOST_BYTES),
    'written -print0 | xargs -0 -r sha256sum --zero',
    'for code in "${PIPESTATUS[@]}"; do case $code in 0 | 1 | 123) ;; *) exit "$code" ;; esac; done; exit 0',
  ];
  const ran = await workspace.exec(script.join('\n'), { timeout: TIMEOUT, signal, cwd: '/' });
  if (!ran.ok) return fault(ran.fault);
  const broken = helperFault('looking at the environment', ran.value);
  if (broken !== null) return isMissing(broken) ? success([broken.detail]) : fault(broken);
  const { exitCode } = ran.value;
  if (isTooMuch(ran.value)) return success(['more files of the environment than can be listed']);
  if (exitCode !== 0)
    return fault(infra('executor', `the environment cannot be looked at: exit code ${exitCode}`));
  const lines = ran.value.stdout.split('\0').filter((line) => line !== '');
  const written = lines.map((line) => ({ path: line.slice(66), digest: line.slice(0, 64) }));
  const added = await addedPrograms(written, environment, commands, workspace, signal);
  if (!added.ok) return added;
  const labels = await Promise.all(
    written.map(({ path, digest }) => (added.value.has(path) ? null : labelOf(path, digest, environment))),
  );
  return success([...new Set(labels.filter((label) => label !== null))].sort());
}

/**
 * Programs that a build adds under names that nothing uses: neither the environment nor the system has such a program,
 * and the task's commands do not name it. A project may declare a further script.
 */
async function addedPrograms(
  written: readonly Written[],
  environment: EnvironmentView,
  commands: string,
  workspace: Workspace,
  signal: AbortSignal,
): Promise<Result<Set<string>, Infra | Outcome>> {
  const isThere = async (path: string) => (await firstThere(hostPathsOf(path, environment))) !== null;
  const candidates: string[] = [];
  for (const { path } of written) {
    const name = PROGRAM.exec(path)?.[1];
    if (name !== undefined && !commands.includes(name) && !(await isThere(path))) candidates.push(path);
  }
  if (candidates.length === 0) return success(new Set());
  const names = candidates.map((path) => shellWord(path.slice(`${ROOT}/bin/`.length)));
  const script = `for name in ${names.join(' ')}; do for at in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin; do [ ! -e "$at/$name" ] || { printf 1; continue 2; }; done; printf 0; done`;
  const ran = await workspace.exec(script, { timeout: TIMEOUT, signal, cwd: '/' });
  if (!ran.ok) return fault(ran.fault);
  const known = ran.value.exitCode === 0 ? ran.value.stdout : '';
  return success(new Set(candidates.filter((_, at) => known[at] === '0')));
}

async function firstThere(places: readonly string[]): Promise<string | null> {
  for (const place of places) if ((await stat(place).catch(() => null)) !== null) return place;
  return null;
}

async function labelOf(path: string, digest: string, environment: EnvironmentView): Promise<string | null> {
  const [, folder, name] = PACKAGES.exec(path) ?? [];
  // These have a file of their own from the beginning, so that a newer time is one of theirs.
  if (name !== undefined && RUNNERS.includes(name)) return `${path} (${digest.slice(0, 12)})`;
  // Another link to the layer's file is a change to the kernel, and none to us.
  for (const place of hostPathsOf(path, environment)) if ((await digestAt(place)) === digest) return null;
  if (DECIDES.test(path)) return `${path} (${digest.slice(0, 12)})`;
  if (folder === undefined) return STANDARD.test(path) ? path : null;
  const was = await firstThere(hostPathsOf(`${folder}/${name}`, environment));
  return was === null ? null : `${folder}/${name}`;
}

async function digestAt(place: string): Promise<string | null> {
  const bytes = await readFile(place).catch(() => null);
  return bytes === null ? null : digestOf(bytes);
}
