/** Interpreters and the Python provider as the stages use them: found once per run, remembered between runs. */
import { resolve } from 'node:path';
import type { Result } from '../../basics/result.ts';
import { success } from '../../basics/result.ts';
import type { HostServices } from '../../contract/machine.ts';
import { once, perRun } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { PythonConfig } from '../../schemas/generated/project.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { channelInterpreter, readChannels } from '../python/channels.ts';
import { findInterpreter, type Interpreter, type SearchOptions } from '../python/interpreter.ts';
import { type PythonProvider, pythonProvider } from '../python/provider.ts';
import { sourceDepsOf } from '../source/instance-source.ts';

/** The interpreter for a recipe's `python`; null is the host's own python3, or the channels' newest. */
export async function interpreterFor(
  version: string | null,
  services: HostServices,
): Promise<Result<Interpreter, Infra>> {
  const { channels } = services.config.environments.python;
  return channels.length > 0 ? success(channelInterpreter(version)) : hostInterpreter(version, services);
}

/** An interpreter of this machine. */
export function hostInterpreter(
  version: string | null,
  services: HostServices,
): Promise<Result<Interpreter, Infra>> {
  const name = `interpreter ${version}`;
  const { memos } = services.cache.database;
  const { python } = services.config.environments;
  const options: SearchOptions = {
    env: services.env,
    executable: version === null ? undefined : python.versions[version],
    ...treesOf(python, services.projectFolder),
    memo: {
      get: (key) => memos.get(`python ${key}`) as string | undefined,
      set: (key, value) => void memos.put(`python ${key}`, value),
    },
  };
  return once(services.shared, name, () => findInterpreter(version, options));
}

/** The identity of an interpreter of this machine; null asks for the host's own. */
export const INTERPRETER: QuestionKind<string | null, string> = {
  name: 'interpreter',
  changes: false,
  async answer(version, services) {
    const found = await hostInterpreter(version, services);
    return found.ok ? success(found.value.identity) : found;
  },
};

/** The same, with the tools that make environments from it: all that a layer depends on. */
export const PYTHON: QuestionKind<string | null, Record<string, string>> = {
  name: 'python',
  changes: false,
  async answer(version, services) {
    const found = await interpreterFor(version, services);
    return found.ok ? success(pythonIdentity(found.value, services)) : found;
  },
};

/** Where the project's conda trees are, and whether no other interpreters may be used. */
export function treesOf(
  { provider, trees }: PythonConfig,
  projectFolder: string,
): Pick<SearchOptions, 'trees' | 'treesOnly'> {
  return trees === undefined ? {} : { trees: resolve(projectFolder, trees), treesOnly: provider === 'conda' };
}

/** The provider that the project asks for; one per run, so that tools are fetched once. */
export const providerFor: (services: HostServices) => PythonProvider = perRun((services) => {
  const { index } = sourceDepsOf(services);
  const deps = { index, toolsFolder: services.cache.folder.tools, signal: services.signal };
  const { provider: wanted, channels } = services.config.environments.python;
  if (channels.length > 0)
    return pythonProvider(
      'conda',
      deps,
      readChannels(channels, services.projectFolder, { env: services.env }),
    );
  // A conda tree's interpreter makes environments like any other: without channels `conda` only says where interpreters are.
  return pythonProvider(wanted === 'conda' ? 'venv' : wanted, deps);
});

/** What a layer depends on besides its recipe and source. */
function pythonIdentity(interpreter: Interpreter, services: HostServices): Record<string, string> {
  return providerFor(services).identity(interpreter);
}
