/** An agent as a configuration file of another tool describes it. Keys of the project win over it. */
import type { ActionFormat, AgentTemplates, AgentType, RolloutLimits, SubmitSettings } from './settings.ts';

export interface AgentFile {
  /** The agent type that the file is for; null: any. */
  type: AgentType | null;
  templates: Partial<AgentTemplates>;
  limits: Partial<RolloutLimits>;
  env: Record<string, string> | null;
  cwd: string | null;
  actions: ActionFormat | null;
  action_regex: string | null;
  last_observations?: number;
  submit?: SubmitSettings;
  keeps_folder?: true;
  /** Paths of keys that swemake does not use. */
  unused: string[][];
}

export const NO_AGENT_FILE: AgentFile = {
  type: null,
  templates: {},
  limits: {},
  env: null,
  cwd: null,
  actions: null,
  action_regex: null,
  unused: [],
};
