/** Generated from schemas/trajectory.schema.json by scripts/generate.mjs; change the schema instead. */

/**
 * Version of this form. 1: each call follows the one before. 2: calls are a tree, and have parent, agent and tools.
 */
export type TrajectoryFormat = 'swemake-trajectory-1' | 'swemake-trajectory-2';
/**
 * How a rollout ended; faults of machines and endpoints are none of these, for they make no trajectory.
 */
export type ExitStatus =
  | 'submitted'
  | 'limits_exceeded'
  | 'time_exceeded'
  | 'repeated_format_error'
  | 'context_exceeded'
  | 'truncated'
  | 'workspace_killed'
  | 'content_filtered'
  | 'crashed'
  | 'gave_up';
/**
 * What it is. rejected: a reply without a well-formed action, of which later prompts hold only the error. foreign: a message of role assistant that no call was answered with. restated: a message as an agent wrote it again, in other words than before but with the same meaning. summary-request, summary: what context strategy summary asks of the model, and what it answered.
 */
export type MessageKind =
  | 'system'
  | 'task'
  | 'reply'
  | 'rejected'
  | 'observation'
  | 'format-error'
  | 'note'
  | 'foreign'
  | 'restated'
  | 'summary-request'
  | 'summary';
/**
 * A message by its index, or one that exists in this prompt only, such as an elision marker or a shortened observation.
 */
export type PromptPart = number | PromptMessage;
/**
 * workspace: what differs in the repository at the end. submission: what the agent handed in. none: no patch.
 */
export type PatchSource = 'workspace' | 'submission' | 'none';
/**
 * What counted tokens for the context; none: tokens were not counted.
 */
export type TokenCounterName = 'endpoint' | 'tokenizer' | 'estimate' | 'none';

/**
 * One rollout, whatever agent made it. Times are kept beside it, in no key.
 */
export interface Trajectory {
  format: TrajectoryFormat;
  /**
   * The instance.
   */
  instance_id: string;
  /**
   * Which rollout of it: 0, 1, …, oracle, noop, or a model's name in an evaluation.
   */
  sample: string;
  /**
   * The rollout's own seed.
   */
  seed: number;
  agent: TrajectoryAgent;
  model: TrajectoryModel | null;
  request: RequestParameters;
  exit_status: ExitStatus;
  /**
   * In words; empty when the status says it all.
   */
  exit_detail: string;
  /**
   * All messages.
   */
  messages: TrajectoryMessage[];
  /**
   * All requests.
   */
  calls: ModelCall[];
  /**
   * Of a tree: the different lists of tools that its calls offered.
   */
  tools?: OfferedTool[][];
  /**
   * All turns, by their true number.
   */
  steps: TrajectoryStep[];
  /**
   * What the agent handed in, as it wrote it; null: nothing.
   */
  submission: string | null;
  /**
   * What is graded: a diff against the instance's first state.
   */
  patch: string;
  patch_source: PatchSource;
  /**
   * What the agent left behind in the repository and the patch leaves out: virtual environments, other repositories, caches, build output.
   */
  left_out?: string[];
  token_counter: TokenCounterName;
  /**
   * Optional parameters that the endpoint did not know.
   */
  dropped_parameters: string[];
}
/**
 * The agent.
 */
export interface TrajectoryAgent {
  /**
   * As in the project.
   */
  type: string;
  /**
   * As in the project.
   */
  dialect: string;
  /**
   * How actions are written.
   */
  actions: string;
}
/**
 * The model.
 */
export interface TrajectoryModel {
  /**
   * As in requests.
   */
  name: string;
  /**
   * As in keys.
   */
  identity: string;
}
/**
 * What every request held beside its messages.
 */
export interface RequestParameters {
  [k: string]: unknown;
}
/**
 * One message, in the order in which it came to be.
 */
export interface TrajectoryMessage {
  /**
   * Who speaks.
   */
  role: 'system' | 'user' | 'assistant' | 'tool';
  kind: MessageKind;
  /**
   * Text.
   */
  content: string;
  /**
   * Of a reply that has any.
   */
  tool_calls?: ToolCall[];
  /**
   * Of a tool's answer.
   */
  tool_call_id?: string;
  /**
   * What the model thought aloud, where the endpoint tells it apart. Prompts hold it only where a restated or foreign message has it.
   */
  reasoning?: string;
  /**
   * Of a restated message: index of the message that it restates.
   */
  stands_for?: number;
}
/**
 * One tool call of a reply.
 */
export interface ToolCall {
  /**
   * Given by the endpoint, or made up where it gave none.
   */
  id: string;
  /**
   * Name of the tool.
   */
  name: string;
  /**
   * JSON text as the model wrote it.
   */
  arguments: string;
}
/**
 * One request to the model.
 */
export interface ModelCall {
  /**
   * What the model saw, exactly.
   */
  prompt: PromptPart[];
  /**
   * Index of the message that answered; null when none did, since the prompt did not fit, a filter stopped it, or the agent ended first.
   */
  reply: number | null;
  /**
   * As the endpoint said.
   */
  finish_reason: string;
  /**
   * The reply was cut at its token limit; its end is none of the model's.
   */
  truncated: boolean;
  /**
   * Token limit that was sent, when it differs from the request's: made to fit the context.
   */
  max_tokens: number | null;
  /**
   * As the endpoint counted, or from the stored ids; null: unknown.
   */
  prompt_tokens: number | null;
  /**
   * The same of the reply.
   */
  completion_tokens: number | null;
  /**
   * US dollars; null without a price.
   */
  cost: number | null;
  tokens: CallTokens | null;
  /**
   * Of a tree: index of the call whose prompt and reply this prompt continues; null: none.
   */
  parent?: number | null;
  /**
   * Of a tree: who asked. main: the agent. side: a call beside its work, such as a title, a summary, or what a command asked. foreign: the prompt holds a reply that was never sampled. Any other: a sub-agent's name.
   */
  agent?: string;
  /**
   * Of a tree: index of the list of tools that it offered.
   */
  tools?: number;
  sent?: SentParameters;
  /**
   * Version of the weights that replied, where the endpoint tells it.
   */
  weights?: string;
  /**
   * How the reply breaks the model's tool format, in a sentence. No part of it was taken for a call.
   */
  malformed?: string;
  /**
   * With `model.render: exact`: the prompt was sent as ids, those of the call that it continues and those of the new messages.
   */
  token_in?: true;
  /**
   * With `model.render: exact`: why the endpoint rendered the messages, though the prompt continues a call.
   */
  fell_back?: string;
}
/**
 * A message of this prompt only.
 */
export interface PromptMessage {
  /**
   * As in messages.
   */
  role: string;
  /**
   * Text.
   */
  content: string;
  /**
   * Index of the message that it shortens; null: none.
   */
  stands_for: number | null;
}
/**
 * Token ids of a call.
 */
export interface CallTokens {
  /**
   * endpoint: as sampled. tokenizer: the reply's text, tokenised afterwards.
   */
  source: 'endpoint' | 'tokenizer';
  /**
   * How many ids of the prompt are those of the parent, its prompt and reply one after the other; without a tree, those of the previous call with tokens.
   */
  shared: number;
  /**
   * The rest of the prompt's ids.
   */
  prompt_ids: number[];
  /**
   * The reply's ids, including what ended it where the endpoint tells.
   */
  ids: number[];
  /**
   * One per id of the reply; null where they are not known.
   */
  logprobs: number[] | null;
}
/**
 * Of a tree: what the agent asked beside messages and tools. It is for the record, and was not passed on.
 */
export interface SentParameters {
  [k: string]: unknown;
}
/**
 * A tool that was offered to the model.
 */
export interface OfferedTool {
  /**
   * Name of the tool.
   */
  name: string;
  /**
   * What the model is told of it.
   */
  description: string;
  parameters: ToolParameters;
}
/**
 * JSON Schema of its arguments.
 */
export interface ToolParameters {
  [k: string]: unknown;
}
/**
 * One turn of the agent: a call and what it did.
 */
export interface TrajectoryStep {
  /**
   * Index in calls.
   */
  call: number;
  /**
   * In order; empty when the reply had no well-formed action.
   */
  actions: TrajectoryAction[];
  /**
   * Of the actions that were run.
   */
  observations: TrajectoryObservation[];
  reward: StepReward | null;
}
/**
 * What a step did.
 */
export interface TrajectoryAction {
  /**
   * bash, str_replace_editor or submit.
   */
  tool: string;
  /**
   * The shell command; for other tools their arguments as JSON.
   */
  command: string;
  /**
   * Of the tool call that asked for it.
   */
  tool_call_id?: string;
}
/**
 * What came of one action.
 */
export interface TrajectoryObservation {
  /**
   * What the command wrote, within the executor's cap.
   */
  output: string;
  /**
   * null when a signal or the time limit ended it.
   */
  exit_code: number | null;
  /**
   * The command's time limit ended it.
   */
  timed_out: boolean;
  /**
   * The output is cut in the middle.
   */
  truncated: boolean;
  /**
   * Index of the message that shows it; null when none does.
   */
  message: number | null;
}
/**
 * What the judge made of a step.
 */
export interface StepReward {
  /**
   * Mean of the votes that could be read, -1 to 1; 0 without any.
   */
  value: number;
  /**
   * Each vote: 1, -1, or null when it could not be read.
   */
  votes: (number | null)[];
}
