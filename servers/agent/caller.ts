/**
 * A policy whose replies come from an HTTP client: the client gets the agent's prompt and sends the next reply. So an
 * environment with reset and step uses the same loop as models, with the same limits, patch and verdict.
 */
import { type ActionFormat, bashAction } from '../../agent/actions/action.ts';
import { loopOf } from '../../agent/kinds/registry.ts';
import type { ChatMessage, Policy, Reply, ReplyRequest } from '../../agent/policy.ts';
import { writtenReply } from '../../agent/scripted.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { ToolCall } from '../../schemas/trajectory.ts';

/** The client's reply in a step. */
export interface CallerReply {
  content: string;
  toolCalls: ToolCall[];
  /** A shell command, which is put into the agent's action format; null: the content contains the action. */
  command: string | null;
  tokens: Reply['tokens'];
}

export class CallerPolicy implements Policy {
  /** Called with each prompt. */
  onPrompt: (messages: readonly ChatMessage[]) => void = () => undefined;
  #answer: ((reply: CallerReply) => void) | null = null;
  #format: ActionFormat | null = null;

  /** Sets the action format of an agent with these settings, and returns this policy. */
  as(settings: AgentSettings): this {
    this.#format = loopOf(settings).format;
    return this;
  }

  /** Has no effect when no prompt waits for a reply. */
  answer(reply: CallerReply): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(reply);
  }

  async reply({ messages, signal }: ReplyRequest): Promise<Result<Reply, Infra>> {
    const since = performance.now();
    const reply = await this.#reply(messages, signal);
    if (reply === null) return fault(infra('cancelled', 'the caller does not go on'));
    const { content, toolCalls, command, tokens } = reply;
    const written =
      command === null || this.#format === null
        ? { content, toolCalls }
        : this.#format.write(content, bashAction(command));
    return success({
      ...writtenReply(written),
      promptTokens: tokens?.promptIds?.length ?? null,
      completionTokens: tokens?.ids.length ?? null,
      tokens,
      // The time that the client takes counts against no limit.
      timing: { waited: performance.now() - since, took: 0, attempts: 1 },
    });
  }

  parameters(): Record<string, unknown> {
    return {};
  }

  dropped(): string[] {
    return [];
  }

  #reply(messages: readonly ChatMessage[], signal: AbortSignal): Promise<CallerReply | null> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(null);
      const onAbort = () => {
        this.#answer = null;
        resolve(null);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#answer = (reply) => {
        signal.removeEventListener('abort', onAbort);
        resolve(reply);
      };
      this.onPrompt(messages);
    });
  }
}
