/**
 * A model's tokenizer and chat template, from the files beside its weights. Used to count tokens, and to make
 * training samples when the endpoint gives no ids.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonOrText } from '../../basics/json.ts';
import type { ChatMessage, ToolDefinition } from '../policy.ts';

/** A chat message as templates may read it. */
export interface TemplateMessage extends ChatMessage {
  /** What the model thought, kept apart. */
  reasoning_content?: string;
}

/** Templates know thoughts by this name. */
export function forTemplate({ reasoning, ...message }: ChatMessage): TemplateMessage {
  return reasoning === undefined ? message : { ...message, reasoning_content: reasoning };
}

export interface ModelTokenizer {
  /** Ids of a text in which special tokens are written out. It adds no special tokens. */
  encode(text: string): number[];
  decode(ids: readonly number[]): string;
  /** The text that the model reads. Throws when the template refuses the messages. */
  render(messages: readonly TemplateMessage[], options: RenderOptions): string;
  /** What ends a reply, such as `<|im_end|>`; empty when the template ends it by no special token. */
  readonly endOfTurn: string;
}

export interface RenderOptions {
  /** Whether the text ends where a reply begins. */
  generationPrompt: boolean;
  tools?: readonly ToolDefinition[];
  /** More variables, as in a request's chat_template_kwargs. */
  variables?: Record<string, unknown>;
}

/** Contents of the files, parsed. */
export interface TokenizerFiles {
  tokenizer: object;
  config: Record<string, unknown>;
  /** chat_template.jinja; the configuration's own template when null. */
  template: string | null;
}

/** Reads a folder with tokenizer.json, and tokenizer_config.json or chat_template.jinja or both. */
export async function readTokenizer(folder: string): Promise<ModelTokenizer> {
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const orNull = async (name: string) => {
    try {
      return await read(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  };
  return createTokenizer({
    tokenizer: JSON.parse(await read('tokenizer.json')) as object,
    config: JSON.parse((await orNull('tokenizer_config.json')) ?? '{}') as Record<string, unknown>,
    template: await orNull('chat_template.jinja'),
  });
}

/** Throws when a file is not what it should be, such as a configuration without a chat template. */
export async function createTokenizer(files: TokenizerFiles): Promise<ModelTokenizer> {
  const [{ Tokenizer }, { Template }] = await Promise.all([
    import('@huggingface/tokenizers'),
    import('@huggingface/jinja'),
  ]);
  const tokenizer = new Tokenizer(files.tokenizer, files.config);
  const texts = templateTexts(files);
  const plain = new Template(texts.plain);
  const withTools = texts.withTools === null ? plain : new Template(texts.withTools);
  const constants = specialTokens(files.config);
  const render: ModelTokenizer['render'] = (messages, { generationPrompt, tools = [], variables = {} }) =>
    (tools.length === 0 ? plain : withTools).render({
      ...constants,
      ...variables,
      messages: messages.map(templateMessage),
      add_generation_prompt: generationPrompt,
      ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    });
  const special = [...tokenizer.get_added_tokens_decoder().values()].filter((token) => token.special);
  let end: string | null = null;
  return {
    encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
    decode: (ids) => tokenizer.decode([...ids], { skip_special_tokens: false }),
    render,
    // Computed when it is needed, so that a tokenizer whose template cannot say it can still count.
    get endOfTurn() {
      end ??= endOfTurn(
        render,
        special.map((token) => token.content),
      );
      return end;
    },
  };
}

/** A configuration holds one template, or several by name. */
function templateTexts({ config, template }: TokenizerFiles): { plain: string; withTools: string | null } {
  if (template !== null) return { plain: template, withTools: null };
  const own = config.chat_template;
  if (typeof own === 'string') return { plain: own, withTools: null };
  if (Array.isArray(own)) {
    const named = new Map(
      (own as { name: string; template: string }[]).map((one) => [one.name, one.template]),
    );
    const plain = named.get('default');
    if (plain !== undefined) return { plain, withTools: named.get('tool_use') ?? null };
  }
  throw new Error('there is no chat template in chat_template.jinja or tokenizer_config.json');
}

/** `bos_token` and the like, which templates write out. */
function specialTokens(config: Record<string, unknown>): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [key, value] of Object.entries(config)) {
    if (!key.endsWith('_token')) continue;
    if (typeof value === 'string') texts[key] = value;
    else if (typeof value === 'object' && value !== null && 'content' in value)
      texts[key] = String(value.content);
  }
  return texts;
}

/** Templates take tool calls in OpenAI's form with parsed arguments. */
function templateMessage({ tool_calls, ...message }: TemplateMessage): Record<string, unknown> {
  if (tool_calls === undefined) return message;
  return {
    ...message,
    tool_calls: tool_calls.map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: jsonOrText(text) },
    })),
  };
}

/** The text after a reply, up to its last special token. The model learns that and nothing after it. */
function endOfTurn(render: ModelTokenizer['render'], special: readonly string[]): string {
  const reply = 'REPLY';
  const text = render(
    [
      { role: 'user', content: 'U' },
      { role: 'assistant', content: reply },
    ],
    { generationPrompt: false },
  );
  const after = text.slice(text.lastIndexOf(reply) + reply.length);
  const ends = special
    .filter((token) => token !== '' && after.includes(token))
    .map((token) => after.lastIndexOf(token) + token.length);
  return after.slice(0, Math.max(0, ...ends));
}
