/** The interpreters that a project asks for: which is found, where it comes from, what would provide a missing one. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ResolvedProject } from '../../compiler/load.ts';
import type { Probe } from '../../executors/kind.ts';
import type { CommandIo } from '../io.ts';
import type { Needs } from './needs.ts';

/** The host's own python3, and each version that the project's recipes name. */
export async function pythonProbes(
  project: ResolvedProject | null,
  needs: Needs | null,
  io: CommandIo,
): Promise<Probe[]> {
  const { findInterpreter } = await import('../../tasks/python/interpreter.ts');
  const { treesOf } = await import('../../tasks/environment/interpreter.ts');
  const python = project?.config.environments.python;
  const trees = project === null || python === undefined ? {} : treesOf(python, project.folder);
  const probes: Probe[] = [];
  const isOfChannels = (python?.channels.length ?? 0) > 0;
  for (const [version, askers] of wanted(project, needs)) {
    // Channels give every other one; one of the machine's own runs their solver.
    if (isOfChannels && version !== null) continue;
    const configured = version === null ? undefined : python?.versions[version];
    const found = await findInterpreter(version, { env: io.env, executable: configured, ...trees });
    const name = `python ${version ?? '(default)'}`;
    const by = askers === null ? '' : `; asked for by ${askers}`;
    if (found.ok) {
      const { version: full, executable } = found.value;
      const origin =
        configured === undefined ? originOf(executable, trees.trees, io) : 'environments.python.versions';
      probes.push({ name, status: 'ok', detail: `${full} at ${executable} (${origin})${by}` });
    } else {
      const [detail, remedy] = found.fault.detail.split('; this provides it: ');
      probes.push({
        name,
        status: 'miss',
        detail: `${detail}${by}`,
        ...(remedy === undefined ? {} : { remedy }),
      });
    }
  }
  return probes;
}

/** Versions with who asks for them: environments where they are known, else recipes. */
function wanted(project: ResolvedProject | null, needs: Needs | null): Map<string | null, string | null> {
  const found = new Map<string | null, string | null>([[null, null]]);
  const add = (version: string | undefined | null, asker: string) => {
    if (version !== undefined)
      found.set(version, found.get(version) == null ? asker : `${found.get(version)}, ${asker}`);
  };
  for (const [index, recipe] of (project?.config.environments.recipes ?? []).entries())
    add(recipe.python, `recipes[${index}]`);
  for (const [version, count] of needs?.pythons ?? [])
    add(version, `${count} ${count === 1 ? 'environment' : 'environments'}`);
  return found;
}

function originOf(executable: string, trees: string | undefined, io: CommandIo): string {
  const home = io.env.HOME ?? homedir();
  const under = (folder: string | undefined) => folder !== undefined && executable.startsWith(`${folder}/`);
  if (under(trees)) return 'conda tree';
  if (under(io.env.PYENV_ROOT || join(home, '.pyenv'))) return 'pyenv';
  const data = io.env.XDG_DATA_HOME || join(home, '.local/share');
  if (under(io.env.UV_PYTHON_INSTALL_DIR || join(data, 'uv/python'))) return 'uv';
  return under('/usr') && !under('/usr/local') ? 'the system' : 'PATH';
}
