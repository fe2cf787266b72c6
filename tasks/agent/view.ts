/** An installed agent: the answer of the stage, and what a workspace shows of it. */
import type { Digest } from '../../basics/digest.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { LostOutput, needText } from '../../cache/cache.ts';
import type { HostServices } from '../../contract/machine.ts';
import type { EnvironmentView } from '../../executors/deployment.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { Output } from '../../schemas/record.ts';
import { hostInterpreter } from '../environment/interpreter.ts';
import { layerDamage } from '../layer-damage.ts';

/** The `agent` output of the stage. */
export interface BuiltAgent {
  /** All that lies below `/opt/agent`. */
  layer: Digest;
  /** The Python that it runs on: what the program asks for, and who it was; null: it needs none of the machine's. */
  python: { version: string | null; interpreter: string } | null;
}

/** What it adds to a workspace. */
export type AgentView = Pick<EnvironmentView, 'layers' | 'mounts' | 'links'>;

/** What the output says. */
export async function readAgent(output: Output, services: HostServices): Promise<BuiltAgent> {
  const text = await needText(services.cache, output);
  if (text === null) throw new LostOutput('the description of an agent');
  return JSON.parse(text) as BuiltAgent;
}

export async function agentView(
  { layer, python }: BuiltAgent,
  services: HostServices,
): Promise<Result<AgentView, Infra>> {
  const folder = await services.cache.layers.open(layer);
  const problem = folder === null ? 'it is gone' : await layerDamage(layer, services);
  if (folder === null || problem !== null)
    return fault(infra('output-lost', `layer ${layer} of the agent: ${problem}; build again`));
  if (python === null) return success({ layers: [folder], mounts: [], links: {} });
  const interpreter = await hostInterpreter(python.version, services);
  if (!interpreter.ok) return interpreter;
  const { identity, mounts, links } = interpreter.value;
  if (identity !== python.interpreter)
    return fault(
      infra('python-missing', 'the agent’s interpreter changed since it was installed; build again'),
    );
  return success({ layers: [folder], mounts, links });
}

/** A workspace's view with the agent in it. A Python that both have is shown once. */
export function withAgent(view: EnvironmentView, { layers, mounts, links }: AgentView): EnvironmentView {
  const more = mounts.filter(({ to }) => !view.mounts.some((shown) => shown.to === to));
  return {
    ...view,
    layers: [...view.layers, ...layers],
    mounts: [...view.mounts, ...more],
    links: { ...links, ...view.links },
  };
}
