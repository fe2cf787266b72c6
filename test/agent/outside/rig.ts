/** Projects whose agent is a program of its own, in a real sandbox. */
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../basics/package-root.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { ScriptedReply } from '../../rig/model-reply.ts';
import type { ServedRequest } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { instanceOf, turnOf } from '../../rig/solver.ts';
import { type TinyOptions, tinyProject } from '../../rig/tiny-project.ts';

export interface OutsideOptions extends Pick<TinyOptions, 'instances' | 'type' | 'files'> {
  url: string;
  /** Absent: command. */
  agentType?: 'command' | 'acp';
  /** Arguments of the program. */
  args?: readonly string[];
  /** Further lines of the agent, indented by two spaces. */
  agent?: string;
  /** Further keys of the program, as flow YAML that begins with a comma. */
  program?: string;
  /** Further keys of the model, likewise. */
  model?: string;
}

/** `p.yaml` with agent.py of this folder as its agent. */
export function outsideProject({
  url,
  agentType = 'command',
  args = [],
  agent = '',
  program = '',
  model = '',
  ...tiny
}: OutsideOptions): Project {
  const project = tinyProject({
    instances: 1,
    isValidated: true,
    ...tiny,
    deployment: '    mounts: [{ from: agent, to: /opt/solver }]\n',
    mounted: (folder) => {
      mkdirSync(join(folder, 'agent'), { recursive: true });
      copyFileSync(join(packageRoot(), 'test/agent/outside/agent.py'), join(folder, 'agent/agent.py'));
    },
  });
  appendFileSync(
    project.path('p.yaml'),
    `agent:
  type: ${agentType}
  program: { protocol: openai-chat, run: 'exec python3 /opt/solver/agent.py "$@"'${program} }
  args: [${args.join(', ')}]
  model: { base_url: "${url}", name: scripted, identity: "scripted@1"${model} }
${agent}trainer: { sft: { type: none } }
`,
  );
  return project;
}

/** Mends the module that the task names, looks at it, and says that it is done. */
export function solveByCalls(request: ServedRequest): ScriptedReply {
  const turn = turnOf(request);
  const number = instanceOf(request);
  const commands = [`sed -i 's/^VALUE = .*/VALUE = ${number}/' m${number}.py`, `cat m${number}.py`];
  const command = commands[turn];
  if (command === undefined) return { text: 'It is mended.' };
  return {
    text: 'I go on.',
    tools: [{ name: 'bash', arguments: JSON.stringify({ command }), id: `call_${turn}` }],
  };
}

/** The trajectory of the only sample; null: there is none. */
export async function trajectoryOf(project: Project): Promise<Trajectory | null> {
  const { stdout } = await project.run('view', 'rollouts.train@tiny.0#0', '--project', 'p.yaml', '--json');
  return stdout === '' ? null : (JSON.parse(stdout) as { trajectory: Trajectory }).trajectory;
}
