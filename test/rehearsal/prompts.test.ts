/** Prompts and tools of training beside those of the evaluation and of conversations: equal ones, and planted differences. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { comparePrompts, shownOf } from '../../app/rehearsal/prompts.ts';
import { loadProject } from '../../compiler/load.ts';
import { temporaryFolder } from '../rig/folder.ts';

const TOOLS = [{ type: 'function', function: { name: 'bash', parameters: { type: 'object' } } }];
const SAW = shownOf(
  [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Mend it.' },
  ],
  TOOLS,
);

async function compared(more: string, row: object | null, saw = [SAW]) {
  const folder = temporaryFolder();
  if (row !== null) writeFileSync(join(folder, 'sft.jsonl'), `${JSON.stringify(row)}\n`);
  writeFileSync(
    join(folder, 'p.yaml'),
    `version: 1
name: p
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: {}, gpu: { type: process, resources: { gpu: 8 } } }
validation: { deployment: box }
agent: { type: bash, templates: { system: Be brief. }, model: { base_url: "http://127.0.0.1:1/v1", name: m, identity: "m@1" } }
trainer:
  sft: { type: none${row === null ? '' : ', data: { source: sft.jsonl }'} }
${more}`,
  );
  const loaded = await loadProject(join(folder, 'p.yaml'), { env: {}, cwd: folder });
  if (!loaded.ok) throw new Error(loaded.fault.map(({ message }) => message).join('; '));
  return comparePrompts(loaded.value, saw, async () => '');
}

const messages = [{ role: 'system', content: 'Be brief.' }];

test('equal texts are no finding, however a row has its tools', async () => {
  const asText = { messages: JSON.stringify(messages), tools: JSON.stringify(TOOLS) };
  expect(await compared('', asText)).toEqual({ findings: [], unchecked: [] });
  expect(await compared('', { messages, tools: TOOLS.map((one) => one.function) })).toEqual({
    findings: [],
    unchecked: [],
  });
});

test('one byte of a system text, and a tool with another definition, are found with their place', async () => {
  const { findings } = await compared('', {
    messages: [{ role: 'system', content: 'Be brief!' }],
    tools: TOOLS,
  });
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ key: 'trainer.sft.data' });
  expect(findings[0]!.message).toBe(
    'its conversations begin with another text (system) than rollouts show the model: from character 8 on, "Be brief!" and "Be brief."',
  );
  const none = await compared('', { messages });
  expect(none.findings.map(({ message }) => message)).toEqual([expect.stringContaining('(tools)')]);
});

test('an evaluation with another template is found, one with other limits is not', async () => {
  const limits = await compared('evaluation: { dataset: train, agent: { limits: { steps: 9 } } }\n', null);
  expect(limits.findings).toEqual([]);
  const other = await compared(
    'evaluation: { dataset: train, agent: { templates: { system: Be very brief. } } }\n',
    null,
  );
  expect(other.findings).toMatchObject([{ key: 'evaluation.agent' }]);
  expect(other.findings[0]!.message).toContain('another text (system) than training: from character 3 on');
});

test('what cannot be compared is said', async () => {
  const { findings, unchecked } = await compared('', { messages }, []);
  expect(findings).toEqual([]);
  expect(unchecked[0]).toContain('the functions send no messages');
});
