/**
 * Looks what a root holds, in a workspace that shows it: whether it brings an environment, by the layouts of prebuilt
 * images, and which Python it has for environments that are built on it.
 */
import { fault, success } from '../../basics/result.ts';
import type { Workspace } from '../../executors/deployment.ts';
import { type Attempt, infra } from '../../schemas/outcome.ts';
import type { ImageConfig } from '../images/image-file.ts';

export interface BaseFacts {
  /** The folder of the environment that it brings; null: none. */
  place: string | null;
  /** Its Python, for environments that are built on it; null where it has none of the wanted version. */
  python: { version: string; executable: string; hasVenv: boolean } | null;
}

/** conda's `testbed` of SWE-bench, SWE-Gym and SWE-smith; R2E's virtual environment in the repository. */
const PLACES = [
  ...['/opt/miniconda3', '/opt/conda', '/root/miniconda3', '/root/anaconda3'].map(
    (conda) => `${conda}/envs/testbed`,
  ),
  '/testbed/.venv',
  '/testbed/venv',
];
const STANDARD_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const QUESTION =
  'import os,sys; print("python", "%d.%d.%d" % sys.version_info[:3], os.path.realpath(sys.executable), os.path.isdir(os.path.join(os.path.dirname(os.__file__), "venv")))';

export async function inspectBase(
  workspace: Workspace,
  version: string | null,
  path: string,
  signal: AbortSignal,
): Attempt<BaseFacts> {
  const minor = version?.split('.').slice(0, 2).join('.') ?? null;
  const names = minor === null ? ['python3'] : [`python${minor}`, 'python3'];
  const command = [
    `export PATH=${quoted(path)}`,
    'for tool in git patch find sha256sum; do command -v $tool > /dev/null || echo lacks $tool; done',
    `for place in ${PLACES.join(' ')}; do if [ -x $place/bin/python ]; then echo place $place; break; fi; done`,
    `for name in ${names.join(' ')}; do if command -v $name > /dev/null; then $name -I -S -c ${quoted(QUESTION)}; fi; done`,
    'exit 0',
  ].join('\n');
  const ran = await workspace.exec(command, { cwd: '/', timeout: 120, signal });
  if (!ran.ok) return ran;
  if (ran.value.timedOut) return fault(infra('helper', 'it took more than 120 s to look at the base'));
  if (ran.value.exitCode !== 0)
    return fault(
      infra(
        'tool-missing',
        `the base has no bash that works: ${ran.value.output.trim()}; choose one that has`,
      ),
    );
  const lines = ran.value.stdout.split('\n').map((line) => line.split(' '));
  const lacks = lines.filter(([word]) => word === 'lacks').map(([, tool]) => tool);
  if (lacks.length > 0)
    return fault(infra('tool-missing', `the base has no ${lacks.join(', no ')}; choose one that has`));
  const pythons = lines.filter(([word]) => word === 'python');
  const fits = pythons.find(
    ([, found]) => version === null || found === version || found!.startsWith(`${version}.`),
  );
  return success({
    place: lines.find(([word]) => word === 'place')?.[1] ?? null,
    python:
      fits === undefined ? null : { version: fits[1]!, executable: fits[2]!, hasVenv: fits[3] === 'True' },
  });
}

/** Variables of every command: what the image says, and its environment's programs first. */
export function rootVariables({ env }: ImageConfig, place: string | null): Record<string, string> {
  const own = Object.fromEntries(
    env
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
      .filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !/^(?:https?|no|all)_proxy$|^HOME$/i.test(name)),
  );
  const path = own.PATH || STANDARD_PATH;
  if (place === null) return { ...own, PATH: `/opt/env/bin:${path}`, VIRTUAL_ENV: '/opt/env' };
  const isConda = place.includes('/envs/');
  const active = isConda
    ? { CONDA_PREFIX: place, CONDA_DEFAULT_ENV: 'testbed', VIRTUAL_ENV: '' }
    : { VIRTUAL_ENV: place };
  return { ...own, ...active, PATH: `${place}/bin:${path}` };
}

/** Where its own programs are. */
export function rootPath({ env }: ImageConfig): string {
  return env.find((line) => line.startsWith('PATH='))?.slice('PATH='.length) || STANDARD_PATH;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
