/** Settings of a program that drives itself. */
import type { Json } from '../../../basics/canonical.ts';
import type { AgentConfig, AgentProgram } from '../../../schemas/generated/project.ts';
import type { AgentSettings } from '../../settings.ts';
import { FULL, VARIABLES } from '../layered.ts';

/** What only such agents have, in `settings.own`. */
export interface OutsideSettings {
  program: AgentProgram;
  /** null: the program has none. */
  version: string | null;
  /** A day; null: what the indexes hold today. */
  as_of: string | null;
  args: readonly string[];
  repository_settings: 'ignore' | 'allow';
  /** By the program's own names; absent: all. */
  tools?: readonly string[];
  /** How swemake speaks to it; absent: not at all, it finds its task in a file. */
  speaks?: 'acp';
}

const LIMITS = { steps: 250, time: 3600, command: 0, cost: 0, format_errors: 0 };

/** What the program is asked to do. `{{task}}` is the problem statement. */
const TASK = `The repository in {{cwd}} has this issue:

<issue>
{{task}}
</issue>

Change the code of the repository so that the issue is solved. Its dependencies are installed. Do not change existing tests. You work alone: nobody answers questions. When the work is done, end.`;

export function layeredOutside(
  agent: AgentConfig,
  program: AgentProgram,
  version: string | null,
): AgentSettings {
  const { args = [], repository_settings = 'ignore', as_of: asOf = null, tools } = agent;
  const own: OutsideSettings = { program, version, as_of: asOf, args, repository_settings };
  if (tools !== undefined) own.tools = tools;
  const { limits, templates, env } = agent;
  return {
    type: agent.type,
    dialect: 'v2',
    actions: 'tool-calls',
    action_regex: null,
    templates: { system: '', instance: templates.instance ?? TASK, observation: '', format_error: '' },
    limits: { ...LIMITS, ...defined(limits) },
    context: FULL,
    env: { ...VARIABLES, ...env },
    cwd: '/testbed',
    own: own as unknown as Record<string, Json>,
  };
}

/** The settings of such an agent; null: it is none. */
export function outsideSettings({ own }: Pick<AgentSettings, 'own'>): OutsideSettings | null {
  return own !== undefined && 'program' in own ? (own as unknown as OutsideSettings) : null;
}

function defined<T extends object>(keys: T): Partial<T> {
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => value !== undefined)) as Partial<T>;
}
