/**
 * What other processes than the one that runs the tests wrote into the environment: the task's own commands, which may build
 * the patch, services, earlier sessions, workers. Installed packages differ from patch to patch, so only a package that
 * existed before and is different now is reported. A file or link that decides what is started, or that extends a runner, is
 * reported with its content. Compiled files count as their source, unless they are just what Python makes of it. The gold
 * runs show what is usual.
 */
import { stat } from 'node:fs/promises';
import { whenAbsent } from '../../basics/absent.ts';
import { success } from '../../basics/result.ts';
import { shellWord, simpleCommands } from '../../basics/shell.ts';
import type { EnvironmentView, Workspace } from '../../executors/deployment.ts';
import { isMissing } from '../../executors/helper-fault.ts';
import type { Attempt } from '../../schemas/outcome.ts';
import { hostPathsOf } from '../../tasks/environment/host-paths.ts';
import { BY_PYTEST } from '../rules/integrity.ts';
import { isOfLayer, LINK } from './layer-files.ts';
import type { CheckSetup } from './setup.ts';
import { DEPTH, listed, RUNNER, SOUND, TOO_MUCH } from './watch.ts';

/** More than tests can really write; files can seem to be larger than they are. */
const MAX_BYTES = 16 * 2 ** 30;
const ROOT = '/opt/env';
/** Packages of the workspace's own user, which come before those of an environment that is a whole Python. */
const OWN = '"$HOME"/.local/lib';
const NAMES = ['*.py', '*.pyc', '*.pth', '*.so', '*.txt', 'pyvenv.cfg'].map((name) => `-name '${name}'`);
const FILES = String.raw`-type f \( ${NAMES.join(' -o ')} -o -path '*/bin/*' \)`;
/** Files that decide what runs, whatever package they belong to. */
const DECIDES =
  /\/bin\/|\.pth$|\/pyvenv\.cfg$|\/entry_points\.txt$|\/(?:sitecustomize|usercustomize)(?:\.|\/|$)/;
/** A program of the environment, by its plain name. */
const PROGRAM = /^\/opt\/env\/bin\/([\w.-]{3,})$/;
const SYSTEM = '/usr/local/sbin /usr/local/bin /usr/sbin /usr/bin /sbin /bin';
const PACKAGES = /^(.*\/(?:site|dist)-packages)\/([^/]+)/;
/** What pytest makes of the source of its plugins, whose assertions it rewrites. */
const REWRITTEN = /\/__pycache__\/[^/]+-pytest-[\w.]+\.pyc$/;
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
  /** The system has a program of that name. */
  isOfSystem: boolean;
  /** Of its content; for a link, where it leads. */
  digest: string;
}

/**
 * Prints those of the compiled files given to it that hold the code of the source beside them. Python's own compiled files
 * are not used, so that none of those in question has a say. What ends it makes no file sound.
 */
const COMPARING = `
import marshal, sys
import _frozen_importlib_external as files
def shape(code):
    inner = [shape(one) for one in code.co_consts if type(one) is type(code)]
    return code, code.co_name, getattr(code, 'co_exceptiontable', None), inner
def is_sound(path):
    source = files.source_from_cache(path)
    with open(path, 'rb') as file: held = file.read()
    with open(source, 'rb') as file: text = file.read()
    if held[:4] != files.MAGIC_NUMBER: return False
    level = path[:-4].rpartition('.opt-')[2]
    made = compile(text, source, 'exec', 0, True, int(level) if level in ('1', '2') else 0)
    return shape(marshal.loads(held[16 if sys.version_info >= (3, 7) else 12:])) == shape(made)
for path in sys.argv[1:]:
    try:
        if is_sound(path): sys.stdout.write(path + chr(0))
    except Exception: pass
`;
const PYTHON = `/opt/env/bin/python -I -S -B -W ignore -X pycache_prefix=/dev/null/none -c ${shellWord(COMPARING)}`;

/** What the script prints behind a list. */
const END = '//';

/** Labels of what was written since the workspace's own time `since`. `commands`: the task's own. */
export async function environmentChanges(
  since: string,
  environment: EnvironmentView,
  workspace: Workspace,
  signal: AbortSignal,
  commands: string,
): Attempt<string[]> {
  const script = [
    `export LC_ALL=C PATH=/usr/bin:/bin; [ -d ${ROOT} ] || { printf '${END}\\0${END}\\0${END}\\0'; exit 0; }`,
    `roots=(${ROOT}); [ ! -d ${OWN} ] || roots+=(${OWN})`,
    `written() { find "\${roots[@]}" -maxdepth ${DEPTH} -newerct @${since} "$@"; }`,
    `files() { written ${FILES} "$@"; }`,
    SOUND,
    `files -printf '%s\\n' | (sum=0; while read -r size; do ((size <= ${MAX_BYTES} && (sum += size) <= ${MAX_BYTES})) || exit 1; done)`,
    `[ "\${PIPESTATUS[1]}" = 0 ] || exit ${TOO_MUCH}`,
    `files -name '*.pyc' -print0 | xargs -0 -r ${PYTHON} 2> /dev/null; sound "\${PIPESTATUS[0]}"; printf '${END}\\0'`,
    `written -path '${ROOT}/bin/*' -print0 | while IFS= read -r -d '' path; do for at in ${SYSTEM}; do [ ! -e "$at/\${path##*/}" ] || { printf '%s\\0' "$path"; break; }; done; done; sound "\${PIPESTATUS[@]}"; printf '${END}\\0'`,
    `files -print0 | xargs -0 -r sha256sum --zero; sound "\${PIPESTATUS[@]}"; printf '${END}\\0'`,
    `written -type l -printf '%p\\0%l\\0'; sound $?; exit 0`,
  ];
  const printed = await listed('the environment', script, workspace, signal);
  if (!printed.ok) return isMissing(printed.fault) ? success([printed.fault.detail]) : printed;
  if (printed.value === null) return success(['more files of the environment than can be listed']);
  const labels = await Promise.all(
    writtenIn(printed.value).map((one) => labelOf(one, environment, commands)),
  );
  return success([...new Set(labels.filter((label) => label !== null))].sort());
}

/**
 * What the script printed, without compiled files that are sound. Where links lead may be any words; all of the lists before
 * are paths, and digests with paths.
 */
function writtenIn(stdout: string): Written[] {
  const words = stdout.split('\0');
  const list = () => words.splice(0, words.indexOf(END) + 1);
  const [sound, system, files] = [new Set(list()), new Set(list()), list().slice(0, -1)];
  const written = files.map((line) => ({ path: line.slice(66), digest: line.slice(0, 64) }));
  for (let at = 0; at + 1 < words.length; at += 2)
    written.push({ path: words[at]!, digest: `${LINK}${words[at + 1]}` });
  return written
    .filter(({ path }) => !sound.has(path))
    .map((one) => ({ ...one, isOfSystem: system.has(one.path) }));
}

async function firstThere(places: readonly string[]): Promise<string | null> {
  for (const place of places) if ((await stat(place).catch(whenAbsent(null))) !== null) return place;
  return null;
}

async function labelOf(
  { path, digest, isOfSystem }: Written,
  environment: EnvironmentView,
  commands: string,
): Promise<string | null> {
  // A build may add a program under a name that nothing uses: neither the environment, nor the system, nor the commands.
  const program = PROGRAM.exec(path)?.[1];
  const isUsed = isOfSystem || (program !== undefined && commands.includes(program));
  if (program !== undefined && !isUsed && (await firstThere(hostPathsOf(path, environment))) === null)
    return null;
  const source = sourceOf(path);
  const [, folder, name] = PACKAGES.exec(source) ?? [];
  const exact = `${path} (${digest.startsWith(LINK) ? digest : digest.slice(0, 12)})`;
  // These have a file of their own from the beginning, so that a newer time is one of theirs.
  if (name !== undefined && RUNNERS.includes(name)) return exact;
  if (await isOfLayer(path, digest, environment)) return null;
  if (DECIDES.test(source) || digest.startsWith(LINK)) return exact;
  if (folder === undefined) return STANDARD.test(source) ? path : null;
  const isOwn = !path.startsWith(`${ROOT}/`);
  const was = isOwn ? folder : await firstThere(hostPathsOf(`${folder}/${name}`, environment));
  if (was === null) return null;
  return REWRITTEN.test(path) ? `${folder}/${name}${BY_PYTEST}` : `${folder}/${name}`;
}

/** The path of the source for a compiled file beside it; any other path as it is. */
function sourceOf(path: string): string {
  return path.replace(/\/__pycache__\/([^/.]+)\.[^/]*\.pyc$/, '/$1.py');
}
