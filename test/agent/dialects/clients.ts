/** The official clients as agents: one turn at a time, the history kept in the client's own form. */
import Anthropic from '@anthropic-ai/sdk';
import { type Content, type FunctionDeclaration, GoogleGenAI, type Part } from '@google/genai';
import OpenAI from 'openai';

/** What a client made of an answer. */
export interface Heard {
  text: string;
  thoughts: string;
  calls: { id: string; name: string; arguments: unknown }[];
  end: string;
  tokens: [prompt: number | undefined, reply: number | undefined];
}

export interface Agent {
  /** Asks with what is said so far, and keeps the answer in its history. */
  ask(stream: boolean): Promise<Heard>;
  say(text: string): void;
  /** Results of the last answer's calls. */
  answer(results: readonly { id: string; name: string; text: string }[]): void;
  models(): Promise<string[]>;
  /** null: the dialect counts nothing. */
  count: (() => Promise<number>) | null;
}

const SCHEMA = {
  type: 'object' as const,
  properties: { command: { type: 'string', description: 'What to run.' } },
  required: ['command'],
};
const TOOL = { name: 'bash', description: 'Runs a command.' };
const SYSTEM = 'You solve tasks.';

export type Begin = (url: string, key?: string) => Agent;

export const CLIENTS: Readonly<Record<string, Begin>> = {
  'openai-chat': chatAgent,
  'openai-responses': responsesAgent,
  'anthropic-messages': anthropicAgent,
  'google-generate': googleAgent,
};

export const openai = (url: string, apiKey = 'key') => new OpenAI({ baseURL: `${url}/v1`, apiKey });
export const anthropic = (url: string, apiKey = 'key') => new Anthropic({ baseURL: url, apiKey });
export const google = (url: string, apiKey = 'key') =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, retryOptions: { attempts: 3 } } });

/** What vLLM and SGLang add to OpenAI's messages. */
type Thinking = { reasoning_content?: string };

function chatAgent(url: string, key?: string): Agent {
  const client = openai(url, key);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'system', content: SYSTEM }];
  const request = {
    model: 'policy',
    messages,
    tools: [{ type: 'function' as const, function: { ...TOOL, parameters: SCHEMA } }],
  };
  return {
    async ask(stream) {
      const completion = stream
        ? await client.chat.completions
            .stream({ ...request, stream: true, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(request);
      const [{ message, finish_reason }] = completion.choices as [OpenAI.ChatCompletion.Choice];
      const thoughts = (message as Thinking).reasoning_content ?? '';
      messages.push({ ...message, ...(thoughts === '' ? {} : { reasoning_content: thoughts }) });
      return {
        text: message.content ?? '',
        thoughts,
        calls: (message.tool_calls ?? []).map((call) =>
          call.type === 'custom'
            ? { id: call.id, name: call.custom.name, arguments: call.custom.input }
            : { id: call.id, name: call.function.name, arguments: call.function.arguments },
        ),
        end: finish_reason,
        tokens: [completion.usage?.prompt_tokens, completion.usage?.completion_tokens],
      };
    },
    say: (content) => messages.push({ role: 'user', content }),
    answer(results) {
      for (const { id, text } of results) messages.push({ role: 'tool', tool_call_id: id, content: text });
    },
    models: async () => (await client.models.list()).data.map(({ id }) => id),
    count: null,
  };
}

function responsesAgent(url: string, key?: string): Agent {
  const client = openai(url, key);
  const input: OpenAI.Responses.ResponseInput = [];
  const request = {
    model: 'policy',
    instructions: SYSTEM,
    input,
    store: false,
    include: ['reasoning.encrypted_content' as const],
    tools: [{ type: 'function' as const, strict: false, ...TOOL, parameters: SCHEMA }],
  };
  return {
    async ask(stream) {
      const response = stream
        ? await client.responses.stream({ ...request, stream: true }).finalResponse()
        : await client.responses.create(request);
      let thoughts = '';
      const calls: Heard['calls'] = [];
      for (const item of response.output) {
        if (item.type === 'reasoning') {
          thoughts = item.summary.map(({ text }) => text).join('');
          // As Codex does: what is shown to people is not what goes back.
          input.push({ ...item, summary: [] });
        } else if (item.type === 'function_call') {
          calls.push({ id: item.call_id, name: item.name, arguments: item.arguments });
          input.push({ type: item.type, call_id: item.call_id, name: item.name, arguments: item.arguments });
        } else if (item.type === 'message') input.push(item);
        else throw new Error(`unexpected item ${item.type}`);
      }
      return {
        text: response.output_text,
        thoughts,
        calls,
        end: response.incomplete_details?.reason ?? String(response.status),
        tokens: [response.usage?.input_tokens, response.usage?.output_tokens],
      };
    },
    say: (content) => input.push({ role: 'user', content }),
    answer(results) {
      for (const { id, text } of results)
        input.push({ type: 'function_call_output', call_id: id, output: text });
    },
    models: async () => (await client.models.list()).data.map(({ id }) => id),
    count: async () => (await client.responses.inputTokens.count({ model: 'policy', input })).input_tokens,
  };
}

function anthropicAgent(url: string, key?: string): Agent {
  const client = anthropic(url, key);
  const messages: Anthropic.MessageParam[] = [];
  const request = {
    model: 'policy',
    max_tokens: 4096,
    system: [{ type: 'text' as const, text: SYSTEM, cache_control: { type: 'ephemeral' as const } }],
    messages,
    tools: [{ ...TOOL, input_schema: SCHEMA }],
  };
  return {
    async ask(stream) {
      const message = stream
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      messages.push({ role: 'assistant', content: message.content });
      const heard: Heard = {
        text: '',
        thoughts: '',
        calls: [],
        end: String(message.stop_reason),
        tokens: [message.usage.input_tokens, message.usage.output_tokens],
      };
      for (const block of message.content) {
        if (block.type === 'text') heard.text += block.text;
        else if (block.type === 'thinking') heard.thoughts += block.thinking;
        else if (block.type === 'tool_use')
          heard.calls.push({ id: block.id, name: block.name, arguments: block.input });
        else throw new Error(`unexpected block ${block.type}`);
      }
      return heard;
    },
    say: (content) => messages.push({ role: 'user', content }),
    answer(results) {
      const content = results.map(({ id, text }) => ({
        type: 'tool_result' as const,
        tool_use_id: id,
        content: [{ type: 'text' as const, text }],
      }));
      messages.push({ role: 'user', content });
    },
    models: async () => (await client.models.list()).data.map(({ id }) => id),
    count: async () => (await client.messages.countTokens({ model: 'policy', messages })).input_tokens,
  };
}

function googleAgent(url: string, key?: string): Agent {
  const client = google(url, key);
  const contents: Content[] = [];
  const declaration: FunctionDeclaration = { ...TOOL, parametersJsonSchema: SCHEMA };
  const request = {
    model: 'policy',
    contents,
    config: { systemInstruction: SYSTEM, tools: [{ functionDeclarations: [declaration] }] },
  };
  return {
    async ask(stream) {
      const chunks = stream
        ? await collected(await client.models.generateContentStream(request))
        : [await client.models.generateContent(request)];
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      const last = chunks.at(-1)!;
      // As Gemini CLI does: thoughts are not kept, and the signatures of calls are.
      const kept = parts.some(({ functionCall }) => functionCall)
        ? parts.filter((part) => !part.thought)
        : parts;
      contents.push({ role: 'model', parts: kept });
      return {
        text: texts(parts.filter((part) => !part.thought)),
        thoughts: texts(parts.filter((part) => part.thought)),
        calls: parts.flatMap(({ functionCall }) =>
          functionCall === undefined
            ? []
            : [{ id: functionCall.id!, name: functionCall.name!, arguments: functionCall.args }],
        ),
        end: String(last.candidates?.[0]?.finishReason),
        tokens: [last.usageMetadata?.promptTokenCount, last.usageMetadata?.candidatesTokenCount],
      };
    },
    say: (text) => contents.push({ role: 'user', parts: [{ text }] }),
    answer(results) {
      const parts = results.map(({ id, name, text }) => ({
        functionResponse: { id, name, response: { output: text } },
      }));
      contents.push({ role: 'user', parts });
    },
    async models() {
      return (await collected(await client.models.list())).map(({ name }) => String(name));
    },
    count: async () => Number((await client.models.countTokens({ model: 'policy', contents })).totalTokens),
  };
}

function texts(parts: readonly Part[]): string {
  return parts.map(({ text }) => text ?? '').join('');
}

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}
