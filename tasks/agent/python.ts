/**
 * The Python of agents that come from a Python index. It is the machine's, whatever Python tasks have, and uv installs them: their
 * requirements are new, and pip takes minutes for what uv does in seconds.
 */
import { type Result, success } from '../../basics/result.ts';
import type { HostServices } from '../../contract/machine.ts';
import { perRun } from '../../contract/once.ts';
import type { QuestionKind } from '../../contract/question.ts';
import type { Infra } from '../../schemas/outcome.ts';
import { hostInterpreter } from '../environment/interpreter.ts';
import type { Interpreter } from '../python/interpreter.ts';
import { type PreparedPython, type PythonProvider, pythonProvider } from '../python/provider.ts';
import { sourceDepsOf } from '../source/instance-source.ts';

const providerOf: (services: HostServices) => PythonProvider = perRun((services) =>
  pythonProvider('uv', {
    index: sourceDepsOf(services).index,
    toolsFolder: services.cache.folder.tools,
    signal: services.signal,
  }),
);

/** The interpreter of agents that ask for this version, and the tools that install them. */
export const AGENT_PYTHON: QuestionKind<string | null, Record<string, string>> = {
  name: 'agent python',
  changes: false,
  async answer(version, services) {
    const found = await hostInterpreter(version, services);
    return found.ok ? success(providerOf(services).identity(found.value)) : found;
  },
};

export interface AgentPython {
  interpreter: Interpreter;
  prepared: PreparedPython;
}

export async function agentPython(
  version: string | null,
  services: HostServices,
): Promise<Result<AgentPython, Infra>> {
  const interpreter = await hostInterpreter(version, services);
  if (!interpreter.ok) return interpreter;
  const prepared = await providerOf(services).prepare(interpreter.value);
  return prepared.ok ? success({ interpreter: interpreter.value, prepared: prepared.value }) : prepared;
}
