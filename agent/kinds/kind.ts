/**
 * Describes a type of agent: its keys, its settings, the prompts of its model, and how it works. Everything about a type is in its folder, and
 * the registry has one line for it. No other code compares names of types: the compiler, the stages and the commands ask a type what
 * it has.
 */
import type { Json } from '../../basics/canonical.ts';
import type { Result } from '../../basics/result.ts';
import type { AgentConfig } from '../../schemas/generated/project.ts';
import type { Infra } from '../../schemas/outcome.ts';
import type { Action, Written } from '../actions/action.ts';
import type { AgentFile } from '../agent-file.ts';
import type { Policy, ToolDefinition } from '../policy.ts';
import type { RolloutInput, RolloutOutput } from '../rollout.ts';
import type { Loop } from '../rules.ts';
import type { ActionFormat, AgentSettings, AgentTemplates } from '../settings.ts';

/** Types as texts list them. */
export function namesIn(kinds: readonly AgentKind[]): string[] {
  const own = kinds.flatMap(({ name, isNamed }) => (isNamed ? [] : [name]));
  return kinds.length > own.length ? [...own, 'a program by name'] : own;
}

/** Keys with their schemas. */
export type Slice = Readonly<Record<string, Json>>;

export interface AgentKind {
  /** What a project writes as `type`. In the key of every sample. */
  readonly name: string;
  /** What it is, for the reference: a sentence without its name. */
  readonly summary: string;
  /** Its row in the table of docs/agent.md. */
  readonly docs: { works: string; follows: string };
  /** The keys that it has beside those of all types, with their schemas. Any other key is an error. */
  readonly keys: Slice;
  /** Gives its replies; absent: a model does. */
  readonly script?: Script;
  /** It can run beside an agent, to show that tasks and grading are sound. */
  readonly baseline?: Baseline;
  /** How configuration files of SWE-agent name it; absent: no such file is for it. */
  readonly sweAgent?: SweAgent;
  /** The forms in which its trajectories become training data. A form that it does not have is that of the first type which has it. */
  readonly styles: Partial<Record<Style, StyleForm>>;
  /**
   * All that decides how it works, which is in the key of every sample. `agent` has the keys of this type and no other. The fault is a
   * sentence that names the key.
   */
  settings(agent: AgentConfig, file: AgentFile): Result<AgentSettings, string>;
  /** What is wrong with its keys. `agent` may lack any of them; `isWritten`: the project has the key at this place. */
  problems?(agent: Partial<AgentConfig>, isWritten: (key: string) => boolean): Problem[];
  /** Names of default texts that show an action in a form that the settings do not read. */
  misleadingTexts?(settings: AgentSettings): string[];
  /** What swemake's loop needs to drive it; absent: `run` starts a program that drives itself. */
  loop?(settings: LoopSettings): Loop;
  /** A data file describes it; texts that list types say "a program by name" for all of these. */
  readonly isNamed?: true;
  /** One rollout in an open workspace. */
  run(input: RolloutInput): Promise<Result<RolloutOutput, Infra>>;
}

/** Settings that decide how replies are read. */
export type LoopSettings = Pick<AgentSettings, 'type' | 'dialect' | 'actions' | 'action_regex'>;

/** Settings of a type: what all have, and the keys of its own slice. */
export type Keys<S extends Slice> = Pick<AgentConfig, 'type' | (keyof S & keyof AgentConfig)>;

/** Replies that no model makes. */
interface Script {
  /** It is given the gold patch, which is then in its key. */
  seesGold: boolean;
  /** `gold`: the diff; null unless it sees it. */
  policy(loop: Pick<Loop, 'format' | 'submit'>, settings: AgentSettings, gold: string | null): Policy;
}

interface Baseline {
  /** Subject of what is reported of it, such as "the oracle". */
  title: string;
  /** How many of the validated tasks it must resolve. */
  resolves: 'all' | 'none';
}

/** A problem of an agent's keys, at one of them. */
export interface Problem {
  code: string;
  key: string;
  message: string;
  remedy: string;
  /** The key itself is of no use. */
  at?: 'key';
}

/** What SWE-agent's files say of it. */
export interface SweAgent {
  /** Name of a parser -> how it reads a reply. */
  parsers: Readonly<Record<string, { actions: ActionFormat; action_regex: string | null }>>;
  /** What is wrong with tools that do, or do not, have the editor; null: nothing. */
  toolProblem(hasEditor: boolean): string | null;
  /** What is added to what the file says. `submit`: how its tools hand in. */
  adds(file: Pick<AgentFile, 'env'>, submit: NonNullable<AgentFile['submit']>): Partial<AgentFile>;
}

export type Style = 'xml' | 'ticks' | 'tools';

/** How conversations are written in a style. */
export interface StyleForm {
  /** What goes into the row's `tools`. */
  tools: readonly ToolDefinition[];
  templates(): Pick<AgentTemplates, 'system' | 'instance'>;
  /** Several actions in one reply can be written. */
  several: boolean;
  /** Takes the place of a shell command that submits; absent: the command stays. */
  submit?: Action;
  /** The reply that asks for the action; null: the style cannot say it so that it is read back. */
  write(thought: string, action: Action): Written | null;
}
