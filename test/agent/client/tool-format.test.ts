/** Raw text of an endpoint that parses nothing becomes tool calls, in the format that the project names. */
import { expect, test } from 'vitest';
import { TOOL_FORMATS } from '../../../agent/dialects/tool-formats/registry.ts';
import { trainingSamples } from '../../../agent/tokens/samples.ts';
import { CallTree } from '../../../agent/tree/tree.ts';
import schema from '../../../schemas/project.schema.json' with { type: 'json' };
import { TREE_FORMAT } from '../../../schemas/trajectory.ts';
import { trajectory } from '../tokens/tiny.ts';
import { faultOf, replyOf, request, setup } from './rig.ts';

const TOOLS = [{ name: 'bash', description: 'Runs it.', parameters: { type: 'object' } }];
const WITH = { tools: TOOLS };
const CALL = '<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>';
const BROKEN = 'I look.\n<tool_call>\n{"name": "bash", "arguments": {"command": \n</tool_call>';
const tokens = { prompt: [1, 2, 3], ids: [4, 5], logprobs: [-0.1, -0.2], server: 'vllm' as const };
const hermes = { settings: { tool_format: 'hermes' as const } };

test('the names of the key are those of the formats', () => {
  expect(schema.definitions.model.properties.tool_format.enum).toEqual(TOOL_FORMATS.map(({ name }) => name));
});

test('calls and thoughts are read from the text, and special tokens are asked for', async () => {
  const text = `<think>Where am I?</think>I look.\n${CALL}<|im_end|>`;
  const opened = await setup([{ text, tokens }], hermes);
  const reply = await replyOf(opened, WITH);
  expect(reply).toMatchObject({
    content: 'I look.',
    reasoning: 'Where am I?',
    toolCalls: [{ name: 'bash', arguments: '{"command": "ls"}' }],
    tokens: { ids: [4, 5] },
  });
  expect(reply).not.toHaveProperty('malformed');
  const { body } = opened.server.requests[0]!;
  expect(body).toMatchObject({ skip_special_tokens: false });
  expect(body).not.toHaveProperty('tool_choice');
});

test('without the key nothing is read and nothing else is asked for', async () => {
  const opened = await setup([{ text: CALL }]);
  expect(await replyOf(opened, WITH)).toMatchObject({ content: CALL, toolCalls: [] });
  expect(opened.server.requests[0]!.body).not.toHaveProperty('skip_special_tokens');
});

test('what the endpoint parsed stays, and a reply that was cut asks for nothing', async () => {
  const tools = [{ name: 'bash', arguments: '{"command": "pwd"}', id: 'own' }];
  const opened = await setup(
    [
      { text: CALL, tools },
      { text: CALL, finish: 'length' },
    ],
    hermes,
  );
  expect(await replyOf(opened, WITH)).toMatchObject({
    content: CALL,
    toolCalls: [{ id: 'own' }],
  });
  const cut = await replyOf(opened, WITH);
  expect(cut).toMatchObject({ content: CALL, toolCalls: [], truncated: true });
});

test('vLLM without a parser is asked again so that it takes tools, and from then on at once', async () => {
  const refused = {
    status: 400,
    body: {
      message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    },
  };
  const opened = await setup([refused, { text: CALL }], hermes);
  for (const _ of [0, 1]) expect((await replyOf(opened, WITH)).toolCalls).toHaveLength(1);
  expect(opened.server.requests.map(({ body }) => body.tool_choice)).toEqual([undefined, 'none', 'none']);

  expect(await faultOf(await setup([refused]), WITH)).toMatchObject({
    status: 'config',
    detail: expect.stringContaining('set model.tool_format'),
  });
});

test('a reply that breaks the format is the policy’s own: it asks for nothing, is no fault, and is trained', async () => {
  const reply = await replyOf(await setup([{ text: BROKEN, tokens }], hermes), WITH);
  expect(reply).toMatchObject({ content: BROKEN, toolCalls: [], malformed: expect.stringContaining('JSON') });
  const tree = new CallTree();
  const asked = { messages: request().messages, tools: TOOLS, label: { agent: null, kind: null } };
  tree.answer(tree.begin(asked), reply);
  const { messages, calls, tools } = tree.record();
  expect(calls[0]).toMatchObject({ malformed: reply.malformed });
  const kept = { ...trajectory(messages, []), format: TREE_FORMAT, calls, tools } as const;
  expect(trainingSamples(kept, 'turns', null)).toMatchObject([
    { ids: [1, 2, 3, 4, 5], loss_mask: [0, 0, 0, 1, 1], logprobs: [0, 0, 0, -0.1, -0.2] },
  ]);
});
