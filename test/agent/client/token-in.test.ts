/** `render: exact` against endpoints that take ids, as SGLang and vLLM do, with a real tokenizer. */
import { describe, expect, it, test } from 'vitest';
import { ID_ROUTES } from '../../../agent/client/id-routes.ts';
import { nextPrompt } from '../../../agent/client/token-in.ts';
import type { CallBefore, ChatMessage, Reply } from '../../../agent/policy.ts';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import type { ModelTokenizer } from '../../../agent/tokens/tokenizer.ts';
import { success } from '../../../basics/result.ts';
import type { ServedMessage } from '../../rig/model-server.ts';
import { bench, fenced, SUBMIT, settingsOf } from '../loop/rig.ts';
import { CHATML, THINKING, tinyTokenizer } from '../tokens/tiny.ts';
import { faultOf, replyOf, request, type SetupOptions, setup } from './rig.ts';

const { roll } = bench();
const TOOLS = [{ name: 'bash', description: 'Runs it.', parameters: { type: 'object' } }];
const CALL = '<tool_call>\n{"name": "bash", "arguments":   {"command": "ls"}}\n</tool_call>';
const HELLO: ChatMessage[] = [{ role: 'user', content: 'hello' }];

type Kind = 'sglang' | 'vllm' | 'none';
type Body = Record<string, unknown>;

/** An endpoint that says these lines, by chat and by the route of its kind, and keeps what it read and wrote. */
async function endpoint(kind: Kind, lines: string[], options: SetupOptions & { template?: string } = {}) {
  const { template = CHATML, settings, ...more } = options;
  const tokenizer = await tinyTokenizer(template);
  const seen: { prompt: number[]; reply: number[]; logprobs: number[] }[] = [];
  const asked: Body[] = [];
  const say = (prompt: number[]) => {
    const text = lines[seen.length]!;
    const reply = tokenizer.encode(text + tokenizer.endOfTurn);
    const logprobs = reply.map((_, at) => -(at + 1) / 8);
    seen.push({ prompt, reply, logprobs });
    return {
      text,
      reply,
      logprobs,
      usage: { prompt_tokens: prompt.length, completion_tokens: reply.length },
    };
  };
  const generate = (body: Body) => {
    asked.push(body);
    const { text, reply, logprobs, usage } = say(body.input_ids as number[]);
    const pairs = reply.map((id, at) => [logprobs[at], id, null]);
    const meta = { finish_reason: { type: 'stop', matched: 1 }, output_token_logprobs: pairs, ...usage };
    return { body: { text, output_ids: reply.slice(0, -1), meta_info: meta } };
  };
  const complete = (body: Body) => {
    asked.push(body);
    const { text, reply, logprobs, usage } = say(body.prompt as number[]);
    const choice = { index: 0, text, finish_reason: 'stop', logprobs: { token_logprobs: logprobs } };
    const ids = { token_ids: reply, prompt_token_ids: body.prompt };
    return {
      body: { object: 'text_completion', model: 'scripted', choices: [{ ...choice, ...ids }], usage },
    };
  };
  const opened = await setup(
    ({ body: { messages, tools = [] } }) => {
      const shown = messages.map(ofServer);
      const functions = (tools as { function: never }[]).map((one) => one.function);
      const text = tokenizer.render(shown, { generationPrompt: true, tools: functions });
      const { text: said, reply, logprobs, usage } = say(tokenizer.encode(text));
      const tokens = { prompt: seen.at(-1)!.prompt, ids: reply, logprobs, server: 'vllm' as const };
      return { text: said, tokens, usage };
    },
    {
      routes:
        kind === 'none'
          ? {}
          : kind === 'sglang'
            ? { '/generate': generate }
            : { '/v1/completions': complete },
      deps: { tokenizer: async () => success(tokenizer) },
      ...more,
      settings: { render: 'exact', ...settings },
    },
  );
  return { ...opened, tokenizer, seen, asked };
}

/** What SGLang's route answers that says one token, 70. */
function oneToken(body: Body) {
  const meta = {
    ...{ finish_reason: { type: 'length', length: 1 }, output_token_logprobs: [[-1, 70, null]] },
    ...{ prompt_tokens: (body.input_ids as number[]).length, completion_tokens: 1 },
  };
  return { body: { text: 'D', meta_info: meta } };
}

function ofServer({ tool_calls, content, ...message }: ServedMessage): ChatMessage {
  const calls = tool_calls?.map(({ id, function: called }) => ({ id, ...called }));
  return { ...message, content: content ?? '', ...(calls && { tool_calls: calls }) } as ChatMessage;
}

/** The call before, as a tree knows it. */
function continuing({ tokens, tokenIn }: Reply, messages: number): { before: () => CallBefore } {
  const { promptIds, ids } = tokens!;
  return {
    before: () => ({
      messages,
      ...{ ids: [...promptIds!, ...ids], promptLength: promptIds!.length },
      ...{ isTokenIn: tokenIn === true, hasSameTools: true },
    }),
  };
}

const next = (reply: Reply, ...more: ChatMessage[]): ChatMessage[] => [
  ...HELLO,
  {
    role: 'assistant',
    content: reply.content,
    ...(reply.toolCalls.length > 0 && { tool_calls: reply.toolCalls }),
  },
  ...more,
];

describe.each(['sglang', 'vllm'] as const)('an endpoint like %s', (kind) => {
  it('gets the ids so far and the new messages, sampled as the project says', async () => {
    const settings = { top_p: 0.9, extra: { chat_template_kwargs: { x: 1 }, ignore_eos: false } };
    const opened = await endpoint(kind, ['one', 'two', 'three'], { settings });
    const { tokenizer, seen, asked, server } = opened;
    const first = await replyOf(opened);
    expect([first.tokenIn, first.fellBack]).toEqual([undefined, undefined]);
    const messages = next(first, { role: 'user', content: 'go on' });
    const second = await replyOf(opened, { messages, ...continuing(first, 2) });
    const added = tokenizer.encode('\n<|im_start|>user\ngo on<|im_end|>\n<|im_start|>assistant\n');
    const ids = [...seen[0]!.prompt, ...seen[0]!.reply, ...added];
    expect(second).toMatchObject({
      ...{ content: 'two', finishReason: 'stop', truncated: false, tokenIn: true, promptTokens: ids.length },
      tokens: { promptIds: ids, ids: seen[1]!.reply, logprobs: seen[1]!.logprobs },
    });
    const whole = [
      ...messages,
      { role: 'assistant' as const, content: 'two' },
      { role: 'user' as const, content: 'and' },
    ];
    expect(await replyOf(opened, { messages: whole, ...continuing(second, 4) })).toMatchObject({
      tokenIn: true,
    });
    expect(server.requests).toHaveLength(1);
    const sampled = { temperature: 0.8, top_p: 0.9, ignore_eos: false };
    expect(asked[0]).toEqual(
      kind === 'sglang'
        ? {
            input_ids: ids,
            sampling_params: { ...sampled, sampling_seed: 7, max_new_tokens: 1000 },
            return_logprob: true,
          }
        : {
            ...{ ...sampled, seed: 7, max_tokens: 1000, model: 'scripted', prompt: ids },
            ...{ logprobs: 1, return_token_ids: true },
          },
    );
  });

  it('has tool calls read from its text, and the ids stay when the agent writes them anew', async () => {
    const opened = await endpoint(kind, [CALL, CALL], { settings: { tool_format: 'hermes' } });
    const first = await replyOf(opened, { tools: TOOLS });
    expect(first.toolCalls).toMatchObject([{ name: 'bash', arguments: '{"command": "ls"}' }]);
    const given = first.toolCalls.map((call) => ({ ...call, arguments: '{"command":"ls"}' }));
    const answer: ChatMessage = { role: 'tool', content: 'a.py', tool_call_id: given[0]!.id };
    const messages = next({ ...first, toolCalls: given }, answer);
    const second = await replyOf(opened, { messages, tools: TOOLS, ...continuing(first, 2) });
    expect(second).toMatchObject({ tokenIn: true, toolCalls: [{ name: 'bash' }] });
    const text = opened.tokenizer.decode(opened.seen[1]!.prompt);
    expect(text).toContain(`${CALL}<|im_end|>\n<|im_start|>tool\na.py<|im_end|>`);
    const { sampling_params: sampling = opened.asked[0] } = opened.asked[0]!;
    expect(sampling).toMatchObject({ skip_special_tokens: false });
  });

  it('drives a whole rollout of our own loop, and each reply is trained once after what it read', async () => {
    const lines = [
      fenced('echo one'),
      'I would rather talk.',
      fenced('head -c 300 /dev/zero | tr "\\0" x'),
      fenced('echo two'),
      SUBMIT,
    ];
    const { client, seen } = await endpoint(kind, lines);
    const { trajectory } = await roll(await settingsOf(), client.policy());
    expect(trajectory.exit_status).toBe('submitted');
    const samples = trainingSamples(trajectory, 'turns', null);
    const trained = samples.flatMap(({ ids, loss_mask }) => ids.filter((_, at) => loss_mask[at] === 1));
    expect(trained).toEqual(seen.flatMap(({ reply }) => reply));
    for (const { ids, calls } of samples) {
      const last = seen[calls[1]]!;
      expect(ids).toEqual([...last.prompt, ...last.reply]);
    }
    // The second prompt goes on from the first call, and so does the third: the reply between is in no later prompt.
    expect(trajectory.calls.map(({ token_in, fell_back }) => fell_back ?? token_in)).toEqual([
      undefined,
      ...[true, true, true, true],
    ]);
  });
});

test.each([
  [
    '/generate',
    { text: '', meta_info: { finish_reason: { type: 'abort', message: 'paused' }, prompt_tokens: 9 } },
  ],
  ['/v1/completions', { choices: [{ index: 0, text: '', token_ids: [], finish_reason: 'abort' }] }],
])(
  'a reply that %s gives up before its first token is asked for again, and the route stays',
  async (path, body) => {
    const opened = await endpoint('none', ['one'], { routes: { [path]: () => ({ body }) } });
    const first = await replyOf(opened);
    const more = { messages: next(first, { role: 'user', content: 'go on' }), ...continuing(first, 2) };
    expect(await faultOf(opened, more)).toMatchObject({
      reason: 'endpoint',
      detail: expect.stringContaining('the endpoint gave the reply up (abort)'),
    });
    expect(opened.server.paths.get(path)).toBeGreaterThan(2);
  },
);

test.each([
  ['a page', { body: { message: 'the server restarts' } }],
  ['that there is no such route', { status: 404, body: { detail: 'Not Found' } }],
])('a route that gave completions is asked again when a gateway answers %s', async (_, page) => {
  let count = 0;
  const generate = (body: Body) => {
    count += 1;
    if (count === 2 || count === 3) return page;
    return oneToken(body);
  };
  const opened = await endpoint('none', ['one'], { routes: { '/generate': generate } });
  const first = await replyOf(opened);
  const more = { messages: next(first, { role: 'user', content: 'go on' }), ...continuing(first, 2) };
  for (let time = 0; time < 2; time++)
    expect(await replyOf(opened, more)).toMatchObject({ tokenIn: true, tokens: { ids: [70] } });
  expect([count, opened.server.paths.get('/v1/completions')]).toEqual([4, undefined]);
});

test('an endpoint without a route for ids is a fault that says what to write, and is asked once', async () => {
  const opened = await endpoint('none', ['one', 'two']);
  const first = await replyOf(opened);
  const more = { messages: next(first, { role: 'user', content: 'go on' }), ...continuing(first, 2) };
  for (let time = 0; time < 2; time++)
    expect(await faultOf(opened, more)).toMatchObject({
      reason: 'endpoint-refused',
      detail: expect.stringContaining('set model.render: chat'),
    });
  expect(ID_ROUTES).toHaveLength(2);
  expect([opened.server.paths.get('/generate'), opened.server.paths.get('/v1/completions')]).toEqual([1, 1]);
});

test.each([
  [
    'gives no ids of replies',
    (body: Body) => ({ choices: [{ text: 'x', finish_reason: 'stop' }], ...body }),
    'no route',
  ],
  [
    'reads more than it was sent',
    () => ({
      choices: [{ text: 'x', finish_reason: 'stop', token_ids: [5] }],
      usage: { prompt_tokens: 9999, completion_tokens: 1 },
    }),
    'it read another prompt',
  ],
])('an endpoint that %s is a fault', async (_, answer, detail) => {
  const opened = await endpoint('none', ['one'], {
    routes: { '/v1/completions': () => ({ body: answer({}) }) },
  });
  const first = await replyOf(opened);
  const more = { messages: next(first, { role: 'user', content: 'go on' }), ...continuing(first, 2) };
  expect(await faultOf(opened, more)).toMatchObject({ detail: expect.stringContaining(detail) });
});

test('a seed that the route does not know is left out', async () => {
  const said: Body[] = [];
  const generate = (body: Body) => {
    said.push(body.sampling_params as Body);
    if ('sampling_seed' in said.at(-1)!)
      return { status: 400, body: { error: { message: "Unexpected keyword argument 'sampling_seed'" } } };
    return oneToken(body);
  };
  const opened = await endpoint('none', ['one'], { routes: { '/generate': generate } });
  const first = await replyOf(opened);
  const more = { messages: next(first, { role: 'user', content: 'go on' }), ...continuing(first, 2) };
  expect(await replyOf(opened, more)).toMatchObject({
    truncated: true,
    tokens: { ids: [70], logprobs: [-1] },
  });
  expect(said.map((one) => 'sampling_seed' in one)).toEqual([true, false]);
});

test('tools without a tool format, and a tokenizer that is not there, are faults', async () => {
  const opened = await endpoint('sglang', ['one']);
  expect(await faultOf(opened, { tools: TOOLS })).toMatchObject({
    detail: expect.stringContaining('needs model.tool_format'),
  });
  const bare = await setup([{ text: 'one' }], { settings: { render: 'exact' } });
  const before = () => ({ messages: 1, ids: [1], promptLength: 1, isTokenIn: true, hasSameTools: true });
  expect(await faultOf(bare, { before })).toMatchObject({ reason: 'tool-missing' });
});

describe('where the history cannot be proved to stay', () => {
  const TALK: ChatMessage[] = [
    ...HELLO,
    { role: 'assistant', content: '<think>so</think>one' },
    { role: 'user', content: 'go on' },
  ];

  async function why(
    template: string,
    change: (known: CallBefore, tokenizer: ModelTokenizer) => Partial<CallBefore>,
  ) {
    const tokenizer = await tinyTokenizer(template);
    const prompt = tokenizer.encode(tokenizer.render(HELLO, { generationPrompt: true }));
    const ids = [...prompt, ...tokenizer.encode(`${TALK[1]!.content}${tokenizer.endOfTurn}`)];
    const known = { messages: 2, ids, promptLength: prompt.length, isTokenIn: false, hasSameTools: true };
    const made = nextPrompt(
      { messages: TALK, tools: [] },
      { ...known, ...change(known, tokenizer) },
      tokenizer,
      undefined,
    );
    return 'why' in made ? made.why : null;
  }

  it('a template that refuses to say how it ends a reply', async () => {
    // That is asked with a conversation without a system message.
    const strict = `{% if messages[0].role == 'user' %}{{ raise_exception('no system message') }}{% endif %}`;
    const tokenizer = await tinyTokenizer(strict + CHATML);
    const messages: ChatMessage[] = [{ role: 'system', content: 's' }, ...TALK];
    const known = { messages: 3, ids: [1, 2], promptLength: 1, isTokenIn: false, hasSameTools: true };
    expect(nextPrompt({ messages, tools: [] }, known, tokenizer, undefined)).toEqual({
      why: 'the template refuses the messages: no system message',
    });
  });

  const REFUSING = `${CHATML}{% if messages|length > 2 %}{{ raise_exception('too long') }}{% endif %}`;
  it.each([
    [null, CHATML, () => ({})],
    ['the endpoint gave no ids for the call before', CHATML, () => ({ ids: null })],
    ['the call before offered other tools', CHATML, () => ({ hasSameTools: false })],
    ['the reply before did not end its turn', CHATML, ({ ids }: CallBefore) => ({ ids: ids!.slice(0, -1) })],
    ['the template ends replies by no special token', CHATML.replace("'<|im_end|>' + ", ''), () => ({})],
    ['the template writes the history in another way', THINKING, () => ({})],
    [
      'the endpoint read the prompt before in other ids than model.tokenizer gives',
      CHATML,
      ({ ids }: CallBefore) => ({ ids: [ids![0]! + 5, ...ids!.slice(1)] }),
    ],
    ['the template refuses the messages: too long', REFUSING, () => ({})],
  ])('%s', async (reason, template, change) => {
    expect(await why(template, change)).toBe(reason);
  });

  it('the endpoint renders, and the reply says why', async () => {
    const opened = await endpoint('sglang', ['<think>so</think>one', 'two'], { template: THINKING });
    const first = await replyOf(opened);
    const messages = next(first, { role: 'user', content: 'go on' });
    const second = await replyOf(opened, { messages, ...continuing(first, 2) });
    expect(second).toMatchObject({
      content: 'two',
      fellBack: 'the template writes the history in another way',
    });
    expect(second).not.toHaveProperty('tokenIn');
    expect(opened.server.requests).toHaveLength(2);
  });
});

test('without the key nobody asks what a call continues', async () => {
  const opened = await setup([{ text: 'one' }]);
  const before = () => expect.unreachable();
  expect(await opened.client.policy().reply(request({ before }))).toMatchObject({ ok: true });
});
