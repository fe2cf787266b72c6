/**
 * Builds the messages of a prompt. Most chat templates take one system message, and only as the first: later ones
 * become text of a user message. What is decided about a message never depends on what follows it after a reply, so
 * a longer history begins with the same messages as the shorter one before.
 */
import type { ToolCall } from '../../schemas/trajectory.ts';
import type { ChatMessage } from '../policy.ts';

export class History {
  readonly messages: ChatMessage[] = [];
  /** The last message is a reminder that stands alone, so a user message that follows joins it. */
  #isReminder = false;

  /** Leading ones become one message; a later one joins the user message beside it. */
  system(text: string): void {
    if (text === '') return;
    const [first, second] = this.messages;
    if (first === undefined) this.#add({ role: 'system', content: text });
    else if (first.role === 'system' && second === undefined) first.content += `\n\n${text}`;
    else this.#remind(`<system-reminder>\n${text}\n</system-reminder>`);
  }

  user(content: string): void {
    const last = this.messages.at(-1);
    if (this.#isReminder && last !== undefined) {
      last.content = beside(last.content, content);
      this.#isReminder = false;
    } else this.#add({ role: 'user', content });
  }

  assistant(content: string, reasoning: string, calls: ToolCall[]): void {
    const message: ChatMessage = { role: 'assistant', content };
    if (reasoning !== '') message.reasoning = reasoning;
    if (calls.length > 0) message.tool_calls = calls;
    this.#add(message);
  }

  tool(id: string, content: string): void {
    this.#add({ role: 'tool', content, tool_call_id: id });
  }

  #add(message: ChatMessage): void {
    this.messages.push(message);
    this.#isReminder = false;
  }

  #remind(reminder: string): void {
    const last = this.messages.at(-1);
    if (last?.role === 'user') last.content = beside(last.content, reminder);
    else {
      this.#add({ role: 'user', content: reminder });
      this.#isReminder = true;
    }
  }
}

/** Joined without a copy of the first, which may be long and joined many times. */
function beside(a: string, b: string): string {
  if (a === '' || b === '') return a + b;
  return `${a}\n\n${b}`;
}

/** A tool's answer that the agent marks as an error. No template has a place for the mark. */
export function asError(text: string): string {
  return `Error: ${text}`;
}
