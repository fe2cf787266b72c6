/** Published trajectories of honest agents, over real repositories: no leak is found where there is none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandOf } from '../../../agent/actions/action.ts';
import { xmlFunctionFormat } from '../../../agent/actions/xml-functions.ts';
import { ALL_TOOLS } from '../../../agent/kinds/tools/definitions.ts';
import { leakReport } from '../../../agent/leaks/report.ts';
import type { LeakInstance } from '../../../agent/leaks/task.ts';
import { packageRoot } from '../../../basics/package-root.ts';
import { parseLines } from '../../../stages/golden/line.ts';
import { type Ran, trajectoryOf } from './trajectory.ts';

const folder = join(packageRoot(), '../shared/data/swesmith');
const rows = join(folder, 'ft_xml_example.jsonl');
if (!existsSync(rows)) console.log(`skipped: ${rows} is missing`);

interface Published {
  instance_id: string;
  messages: { role: string; content: string }[];
}

/** Each call with what was answered to it. */
function steps({ messages }: Published): Ran[] {
  const format = xmlFunctionFormat(ALL_TOOLS);
  return messages.flatMap(({ role, content }, at) => {
    const read = role === 'assistant' ? format.parse({ content, toolCalls: [] }) : null;
    if (read === null || !read.ok) return [];
    const action = read.value[0]!;
    const output = (messages[at + 1]?.content ?? '').replace(/^OBSERVATION:\n/, '').replaceAll('\r\n', '\n');
    return [{ command: commandOf(action), output, tool: action.tool }];
  });
}

test.skipIf(!existsSync(rows))('of SWE-smith’s examples, with the answer of one', () => {
  const row = JSON.parse(
    readFileSync(join(folder, 'pandas-dev__pandas.95280573.pr_53652.json'), 'utf8'),
  ) as Record<string, string>;
  const instance: LeakInstance = {
    repo: row.repo ?? 'swesmith/pandas-dev__pandas.95280573',
    patch: row.patch!,
    patch_role: 'bug',
    test_patch: '',
    FAIL_TO_PASS: [],
    PASS_TO_PASS: [],
    problem_statement: row.problem_statement ?? '',
    source: { spec: 'git+https://github.com/swesmith/pandas-dev__pandas.95280573@main', digest: '' },
  };
  const published = parseLines<Published>(readFileSync(rows, 'utf8'));
  expect(published).toHaveLength(3);
  for (const one of published) {
    const ran = steps(one);
    expect(ran.length).toBeGreaterThan(20);
    expect(leakReport(trajectoryOf(...ran), instance)).toEqual([]);
  }
});
