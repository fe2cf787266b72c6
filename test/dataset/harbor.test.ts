/** Folders of Harbor: tasks are rows of the instances that they were made of, trajectories are conversations. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atifFiles } from '../../agent/exports/atif.ts';
import { digestOfList } from '../../cache/key.ts';
import type { ReadRow } from '../../formats/row.ts';
import { filesDigest } from '../../stages/dataset/readers/dataset-files.ts';
import { readRows } from '../../stages/dataset/readers/read-rows.ts';
import { findRowFiles } from '../../stages/dataset/readers/row-files.ts';
import { conversationOf } from '../../trainers/rows/sft.ts';
import { example } from '../agent/exports/example.ts';
import { exampleRollout } from '../agent/tree/example.ts';
import { writeTree } from '../rig/folder.ts';
import { temporaryFolder } from '../tasks/source/helpers.ts';

let root: string;
beforeAll(() => {
  root = temporaryFolder();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function rowsIn(folder: string, split?: string): Promise<ReadRow[]> {
  const files = await findRowFiles(join(root, folder), split);
  if (!files.ok) throw new Error(files.fault.detail);
  const rows: ReadRow[] = [];
  for await (const row of readRows(files.value)) rows.push(row);
  return rows;
}

test('tasks are rows, in the order of their names; one without its instance is told', async () => {
  const row = { instance_id: 'o__r-1', repo: 'o/r', patch: 'p', problem_statement: '' };
  const task = { 'task.toml': 'schema_version = "1.4"\n', 'instruction.md': 'Mend it.\n' };
  writeTree(join(root, 'tasks/b'), { ...task, 'tests/config.json': JSON.stringify(row) });
  writeTree(join(root, 'tasks/a'), { ...task, 'tests/test.sh': 'true' });
  writeTree(join(root, 'tasks/c'), { ...task, 'tests/config.json': '[' });
  writeTree(join(root, 'tasks/none'), { 'readme.md': '' });
  const rows = await rowsIn('tasks');
  expect(rows).toMatchObject([
    { line: 1, message: expect.stringContaining('a: there is no tests/config.json') },
    { line: 2, row: { instance_id: 'o__r-1', problem_statement: 'Mend it.' } },
    { line: 3, message: expect.stringContaining('c: tests/config.json is no JSON object') },
  ]);
  expect(await rowsIn('tasks/b')).toHaveLength(1);
});

const COMPOSE = 'environment/docker-compose.yaml';
const DB = 'services: { main: { depends_on: [db] }, db: { image: "postgres:16" } }\n';

test.each<[string, Record<string, string>, object, RegExp | null]>([
  [
    'a container beside it',
    { [COMPOSE]: DB },
    {},
    /docker-compose\.yaml has containers .*\(db\); give .*`background`/,
  ],
  [
    'one beside its verifier',
    { 'tests/docker-compose.yaml': DB },
    {},
    /^t: tests\/docker-compose\.yaml has containers/,
  ],
  ['containers of another file', { [COMPOSE]: 'include: [more.yaml]\n' }, {}, /includes other files/],
  ['a file that is no YAML', { [COMPOSE]: 'services: {\n' }, {}, /docker-compose\.yaml is no YAML/],
  [
    'more about its own container',
    { [COMPOSE]: 'services: { main: { shm_size: 1g, ports: !reset [] } }\n' },
    {},
    null,
  ],
  ['nothing in the file', { [COMPOSE]: '' }, {}, null],
  [
    'services of its row',
    { [COMPOSE]: DB },
    { recipe: { background: [{ name: 'db', run: 'db', port: 5 }] } },
    null,
  ],
])('of a task with a compose file: %s', async (_what, files, more, why) => {
  const row = { instance_id: 'o__r-1', repo: 'o/r', patch: 'p', problem_statement: 'It breaks.', ...more };
  const folder = mkdtempSync(join(root, 'compose-'));
  writeTree(join(folder, 't'), {
    ...{ 'task.toml': '', 'instruction.md': '', 'tests/config.json': JSON.stringify(row) },
    ...files,
  });
  const [one] = await rowsIn(basename(folder));
  if (why === null) expect(one).toEqual({ line: 1, row });
  else expect(one).toMatchObject({ line: 1, instance_id: 't', message: expect.stringMatching(why) });
});

test('a compose file is a part of what names the rows; without one the name is as before', async () => {
  const folder = mkdtempSync(join(root, 'named-'));
  writeTree(join(folder, 't'), { 'task.toml': '', 'instruction.md': 'x', 'tests/config.json': '{}' });
  const name = async () => {
    const files = await findRowFiles(folder, undefined);
    if (!files.ok) throw new Error(files.fault.detail);
    return filesDigest(files.value, async (path) => readFileSync(path, 'utf8'));
  };
  const plain = await name();
  expect(plain).toBe(digestOfList('dataset files', ['harbor', '', '{}', 'x']));
  writeTree(join(folder, 't'), { [COMPOSE]: DB });
  expect(await name()).not.toBe(plain);
});

function writeTrial(job: string, name: string, more: Parameters<typeof example>[1] = {}): void {
  writeRollout(job, name, example({}, more));
}

function writeRollout(job: string, name: string, rollout: ReturnType<typeof example>): void {
  for (const { path, text } of atifFiles(rollout, { name })) {
    const file = join(root, job, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

test('of a tree of calls the agent’s own conversation comes back, unless its history was lost', async () => {
  const rollout = exampleRollout();
  const { calls, steps } = rollout.trajectory;
  // Up to the summary.
  const begun = { ...rollout.trajectory, calls: calls.slice(0, 6), steps: steps.slice(0, 6) };
  writeRollout('trees', 'one', { ...rollout, trajectory: begun });
  writeRollout('trees', 'two', rollout);
  const [one, two] = await rowsIn('trees', 'all');
  const { messages, tools } = (one as { row: Record<string, unknown> }).row;
  expect((messages as { content: string }[]).map(({ content }) => content)).toEqual([
    'You code.',
    'Mend it.',
    'I look.',
    'a.py',
    'Call a tool.',
    '',
    '1',
  ]);
  expect(tools).toHaveLength(1);
  expect(two).toMatchObject({
    message: expect.stringContaining('a summary took the place of what was said before'),
  });
});

test('what was exported comes back as the conversation that it was', async () => {
  writeTrial('job', 'one');
  writeTrial('job', 'two', { verdict: { reward: 0, resolved: false, detail: '' } });
  const all = await rowsIn('job', 'all');
  expect(all).toHaveLength(2);
  expect(await rowsIn('job', 'resolved')).toHaveLength(1);
  const first = all[0] as { row: Record<string, unknown> };
  expect(first.row).toMatchObject({ model: 'org/model@rev', reward: 1, resolved: true });
  const { messages } = first.row as { messages: object[] };
  expect(messages).toEqual([
    { role: 'system', content: 'You fix bugs.' },
    { role: 'user', content: 'It breaks.' },
    { role: 'assistant', content: 'I look.\n\n```mswea_bash_command\nls\n```' },
    { role: 'user', content: '<returncode>0</returncode>\na.py' },
    {
      role: 'assistant',
      content: 'I view it.',
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'str_replace_editor', arguments: '{"command":"view","path":"/testbed/a.py"}' },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '1' },
    {
      role: 'assistant',
      content: 'Done.\n```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\n```',
    },
    { role: 'user', content: 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT' },
  ]);
  expect(conversationOf(first.row, 'messages')).toMatchObject({ messages });
});

test('which trajectories are meant has to be said', async () => {
  const files = await findRowFiles(join(root, 'job'), undefined);
  expect(files).toMatchObject({ ok: false, fault: { detail: expect.stringContaining('all, resolved') } });
});

const FOREIGN = {
  schema_version: 'ATIF-v1.5',
  session_id: 's',
  agent: { name: 'terminus', version: '2', model_name: 'm' },
  steps: [
    { step_id: 1, source: 'user', message: [{ type: 'text', text: 'Mend it.' }] },
    { step_id: 2, source: 'agent', message: 'I look.', observation: { results: [{ content: 'a.py' }] } },
  ],
};

const calling = (...ids: string[]) => ({
  ...{ source: 'agent', message: 'I do.' },
  tool_calls: ids.map((id) => ({ tool_call_id: id, function_name: 'bash', arguments: {} })),
});

/** As terminus-2 notes it. */
const SUMMARY = {
  source: 'system',
  message: 'Performed context summarization and handoff to continue task.',
  observation: { results: [{ subagent_trajectory_ref: [{ trajectory_path: 'trajectory.summary.json' }] }] },
};

test.each<[string, object, object]>([
  [
    'of another tool',
    FOREIGN,
    { row: { messages: [{ content: 'Mend it.' }, { role: 'assistant' }, { role: 'user' }], reward: 0.5 } },
  ],
  ['of another version', { ...FOREIGN, schema_version: 'ATIF-v2.0' }, { field: 'schema_version' }],
  ['without steps', { ...FOREIGN, steps: [] }, { field: 'steps' }],
  [
    'that goes on from another one',
    { ...FOREIGN, steps: [{ ...FOREIGN.steps[1], is_copied_context: true }] },
    { field: 'steps[0]' },
  ],
  [
    'without what the model was told',
    { ...FOREIGN, steps: FOREIGN.steps.slice(1) },
    { field: 'steps', message: expect.stringContaining('begins with a reply') },
  ],
  [
    'with calls that printed nothing',
    { ...FOREIGN, steps: [FOREIGN.steps[0], calling('a', 'b'), calling('c')] },
    {
      row: {
        messages: [
          { role: 'user' },
          { role: 'assistant', tool_calls: [{ id: 'a' }, { id: 'b' }] },
          { role: 'tool', tool_call_id: 'a', content: '' },
          { role: 'tool', tool_call_id: 'b', content: '' },
          { role: 'assistant', tool_calls: [{ id: 'c' }] },
        ],
      },
    },
  ],
  [
    'that ends where a summary begins another one',
    { ...FOREIGN, steps: [...FOREIGN.steps, SUMMARY] },
    { row: { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user', content: 'a.py' }] } },
  ],
  [
    'that goes on with a summary',
    { ...FOREIGN, steps: [...FOREIGN.steps, SUMMARY, FOREIGN.steps[0], calling('a')] },
    { field: 'steps[2]', message: expect.stringContaining('linear_history') },
  ],
  [
    'with a picture',
    { ...FOREIGN, steps: [{ source: 'user', message: [{ type: 'image', source: { path: 'a.png' } }] }] },
    { message: expect.stringContaining('more than text') },
  ],
])('a trajectory %s', async (_what, atif, found) => {
  rmSync(join(root, 'foreign'), { recursive: true, force: true });
  writeTree(join(root, 'foreign/run/trial'), {
    'agent/trajectory.json': JSON.stringify(atif),
    'verifier/reward.json': '{"speed": 3, "reward": 0.5}',
  });
  expect(await rowsIn('foreign', 'resolved')).toMatchObject([found]);
});
