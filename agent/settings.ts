/**
 * All settings of an agent: the project's keys, the defaults of its type, and an agent file, merged. Plain data;
 * all of it is part of a rollout's key. The model has settings of its own.
 */
import type { Json } from '../basics/canonical.ts';
import type { AgentConfig } from '../schemas/generated/project.ts';

export type AgentType = AgentConfig['type'];
export type ActionFormat = 'fence' | 'xml' | 'tool-calls' | 'xml-functions';

/** For every number 0 means no limit. */
export interface RolloutLimits {
  /** Model calls. */
  steps: number;
  /** Seconds, waits not counted. */
  time: number;
  /** Seconds of one command. */
  command: number;
  /** US dollars. */
  cost: number;
  /** Tokens that the model writes in all replies together; absent: no limit. */
  tokens?: number;
  /** Replies in a row without a well-formed action. */
  format_errors: number;
  /** How often in a row a command may be given before its observation warns. Absent: 0. */
  repeated_commands?: number;
}

export interface AgentTemplates {
  system: string;
  instance: string;
  observation: string;
  format_error: string;
}

export interface ContextSettings {
  strategy: 'full' | 'head-tail' | 'summary';
  /** Tokens of prompt and reply together; null: no bound. */
  max_tokens: number | null;
  /** Tokens of them left for the reply. */
  max_response_tokens: number;
  /** Share of the budget that the beginning gets; 0 with other strategies than head-tail. */
  head: number;
  /** Newest observations shown in full; 0: all. */
  last_observations: number;
  /** Characters of one observation; null: the template decides. */
  max_observation: number | null;
}

/** What an agent prints when it submits, instead of leaving its work in the repository. */
export interface PrintedPatch {
  /** The file, relative to the repository; null: none, or one outside. */
  file: string | null;
}

/** How agents with tools hand in. */
export interface SubmitSettings {
  /** What each call of `submit` shows before the last one submits; `{{diff}}` is replaced by all changes. */
  review: string[];
}

/** Templates of what a user says, one for each submission; or those of a user that a model plays, who answers at most `turns` times. */
export type UserSettings = { says: readonly string[] } | { prompt: string; turns: number };

export interface AgentSettings {
  type: AgentType;
  /** v2 for types without dialects. */
  dialect: AgentConfig['dialect'];
  /** `xml-functions`: SWE-agent's function calls as text. */
  actions: ActionFormat;
  /** Source of a regular expression with flags su, first group: the command; null: the format's own. */
  action_regex: string | null;
  templates: AgentTemplates;
  limits: RolloutLimits;
  context: ContextSettings;
  /** Variables of every command. */
  env: Record<string, string>;
  /** Working folder of every command. */
  cwd: string;
  /** Absent when the texts do not ask for it. */
  printed_patch?: PrintedPatch;
  /** A user who answers when the agent submits. Absent: the first submission counts. */
  user?: UserSettings;
  /** Absent: one review of the changes, in swemake's words. */
  submit?: SubmitSettings;
  /** A command begins in the folder where the one before ended. Absent: each begins in `cwd`. */
  keeps_folder?: true;
  /** Values of keys that its type alone has. */
  own?: Readonly<Record<string, Json>>;
}
