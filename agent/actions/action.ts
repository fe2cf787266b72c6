/** The actions of a reply, and the interface for the formats in which actions are written. */
import type { Result } from '../../basics/result.ts';
import type { Reply, ToolDefinition } from '../policy.ts';

export interface Action {
  /** Name of the tool. */
  tool: string;
  /** As the tool's definition names them; for bash `command`. */
  arguments: Record<string, unknown>;
  /** Id of the tool call that asked for it. */
  id?: string;
}

/** A reply that cannot be acted on. */
export interface Malformed {
  /** What is wrong with it, for the model to read. */
  error: string;
  /** The parts of the reply that look like actions. */
  actions: string[];
}

/** The parts of a reply that may contain actions. */
export type Written = Pick<Reply, 'content' | 'toolCalls'>;

export interface ActionFormat {
  /** Offered to the endpoint with every request. */
  tools: readonly ToolDefinition[];
  /** At least one action, in order. */
  parse(reply: Written): Result<Action[], Malformed>;
  /** A reply that asks for the action. */
  write(thought: string, action: Action): Written;
}

export function bashAction(command: string): Action {
  return { tool: 'bash', arguments: { command } };
}

/** An action as one text: the shell command, or the arguments of another tool as JSON. */
export function commandOf(action: Action): string {
  return action.tool === 'bash' ? String(action.arguments.command) : JSON.stringify(action.arguments);
}
