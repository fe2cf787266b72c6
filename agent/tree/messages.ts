/**
 * The messages of all prompts, each stored once, and the tree that they make: a node is a message after the messages
 * before it. A prompt is a way from the root. Memory grows with the messages, and not with how often agents repeat
 * them.
 */
import type { MessageKind, ToolCall, TrajectoryMessage } from '../../schemas/trajectory.ts';
import type { ChatMessage, Reply } from '../policy.ts';
import { answeredCall, messageKey } from './canonical.ts';

/** Characters that a message takes beside its text: its key, its place. */
const BESIDE = 200;

/** A message at its place. */
interface Node {
  readonly key: string;
  readonly children: Map<string, Node>;
  /** The child that was passed last, which is looked at first. */
  recent: Node | null;
  /** A message that is known to be this one; null: none yet. */
  known: Known | null;
  /** Indices of the replies that were sampled here. */
  readonly replies: number[];
}

/** A message as it is written at a node. */
interface Known {
  message: number;
  /** The reply, sampled here, that it is; null: it is none. */
  reply: number | null;
}

/** A prompt, found in the tree. */
export interface FoundPrompt {
  /** Indices of its messages. */
  prompt: number[];
  /** The last call whose prompt and reply it begins with; null: none. */
  parent: number | null;
  /** It holds a message of role assistant that no call was answered with. */
  isForeign: boolean;
  /** It holds a reply that does not follow its own prompt. */
  restates: boolean;
  /** Where its reply belongs. */
  end: Node;
}

export class MessageTree {
  readonly messages: TrajectoryMessage[] = [];
  /** Of all messages, with what each takes beside its text. */
  characters = 0;
  readonly #root = emptyNode('');
  /** By key: indices of the messages that say so, in the order in which they came. */
  readonly #byKey = new Map<string, number[]>();
  /** By index of a reply: the call that it answered. */
  readonly #calls = new Map<number, number>();

  /** Finds a prompt, and stores what is new of it. */
  find(messages: readonly ChatMessage[]): FoundPrompt {
    const found: FoundPrompt = {
      prompt: [],
      parent: null,
      isForeign: false,
      restates: false,
      end: this.#root,
    };
    let asked = NONE;
    for (const message of messages) {
      if (message.role === 'assistant') asked = message.tool_calls ?? NONE;
      const { message: index, reply } = this.#repeated(found, message) ?? this.#look(found, message, asked);
      if (reply !== null) found.parent = this.#calls.get(reply)!;
      found.prompt.push(index);
    }
    return found;
  }

  /** Adds the reply of a call after its prompt; the index of its message. */
  addReply(call: number, { end }: FoundPrompt, { content, toolCalls, reasoning }: Reply): number {
    const entry = {
      role: 'assistant' as const,
      content,
      ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    };
    const node = childOf(end, messageKey(entry, null));
    const index = this.#add(node.key, { ...entry, kind: 'reply', ...(reasoning !== null && { reasoning }) });
    this.#calls.set(index, call);
    // Of several that say the same the first one is known: the agent has that.
    if (node.replies.length === 0) node.known = { message: index, reply: index };
    node.replies.push(index);
    return index;
  }

  /** Most prompts repeat an earlier one, byte for byte. */
  #repeated(found: FoundPrompt, message: ChatMessage): Known | null {
    const { recent } = found.end;
    const known = recent?.known ?? null;
    if (recent === null || known === null || !isWrittenAs(message, this.messages[known.message]!))
      return null;
    found.end = recent;
    return known;
  }

  /** `asked`: the tool calls of the reply before. */
  #look(found: FoundPrompt, message: ChatMessage, asked: readonly ToolCall[]): Known {
    found.end = childOf(found.end, messageKey(message, answeredCall(message, asked)));
    if (message.role !== 'assistant') {
      found.end.known = { message: this.#store(found, message, null), reply: null };
      return found.end.known;
    }
    const { key, replies } = found.end;
    const here = this.#choose(replies, message);
    if (here !== null) {
      found.end.known = { message: this.#store(found, message, here), reply: here };
      return found.end.known;
    }
    // A reply may still be sampled here, or elsewhere, so this is found anew each time.
    const sampled = (this.#byKey.get(key) ?? []).filter((index) => this.#calls.has(index));
    const elsewhere = this.#choose(sampled, message);
    if (elsewhere === null) found.isForeign = true;
    else found.restates = true;
    return { message: this.#store(found, message, elsewhere), reply: null };
  }

  /**
   * Chooses among replies of equal text. Where the message has thoughts, only replies with the same thoughts count. A reply with the message's
   * ids of calls comes first, else the first reply.
   */
  #choose(replies: readonly number[], message: ChatMessage): number | null {
    const thoughts = message.reasoning?.trim();
    const fitting = replies.filter(
      (index) => thoughts === undefined || thoughts === (this.messages[index]!.reasoning ?? '').trim(),
    );
    const ids = idsOf(message);
    return fitting.find((index) => idsOf(this.messages[index]!) === ids) ?? fitting[0] ?? null;
  }

  /** Index of a message as it is written here; `reply`: the reply that it is. */
  #store(found: FoundPrompt, message: ChatMessage, reply: number | null): number {
    const { messages } = this;
    if (reply !== null && isWrittenAs(message, messages[reply]!)) return reply;
    const { key } = found.end;
    const same = this.#byKey.get(key)?.filter((index) => !this.#calls.has(index)) ?? [];
    const stored = same.find((index) => isWrittenAs(message, messages[index]!));
    if (stored !== undefined) return stored;
    const first = reply ?? same[0];
    const kind = first === undefined ? this.#kindOf(found, message) : 'restated';
    return this.#add(key, { ...message, kind, ...(first !== undefined && { stands_for: first }) });
  }

  #kindOf({ prompt }: FoundPrompt, { role }: ChatMessage): MessageKind {
    if (role === 'system') return 'system';
    if (role === 'tool') return 'observation';
    if (role === 'assistant') return 'foreign';
    return prompt.some((index) => this.messages[index]!.role === 'user') ? 'note' : 'task';
  }

  #add(key: string, message: TrajectoryMessage): number {
    const index = this.messages.push(message) - 1;
    const { content, reasoning = '', tool_calls: calls = NONE } = message;
    this.characters += BESIDE + content.length + reasoning.length;
    for (const { arguments: given } of calls) this.characters += BESIDE + given.length;
    const same = this.#byKey.get(key);
    if (same === undefined) this.#byKey.set(key, [index]);
    else same.push(index);
    return index;
  }
}

function emptyNode(key: string): Node {
  return { key, children: new Map(), recent: null, known: null, replies: [] };
}

function childOf(node: Node, key: string): Node {
  const child = node.children.get(key) ?? emptyNode(key);
  node.children.set(key, child);
  node.recent = child;
  return child;
}

const NONE: readonly ToolCall[] = [];

/** Whether a message is the stored one, byte for byte. Thoughts of a reply are in no prompt that holds it. */
function isWrittenAs(message: ChatMessage, stored: TrajectoryMessage): boolean {
  const thoughts = stored.kind === 'reply' ? undefined : stored.reasoning;
  return (
    message.role === stored.role &&
    message.content === stored.content &&
    message.tool_call_id === stored.tool_call_id &&
    message.reasoning === thoughts &&
    sameCalls(message.tool_calls ?? NONE, stored.tool_calls ?? NONE)
  );
}

function idsOf({ tool_calls = [] }: Pick<ChatMessage, 'tool_calls'>): string {
  return tool_calls.map(({ id }) => id).join('\n');
}

function sameCalls(left: readonly ToolCall[], right: readonly ToolCall[]): boolean {
  if (left === right) return true;
  return (
    left.length === right.length &&
    left.every(({ id, name, arguments: given }, at) => {
      const other = right[at]!;
      return id === other.id && name === other.name && given === other.arguments;
    })
  );
}
