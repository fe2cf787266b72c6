/** Hidden tests of a row and mutants of its gold patch, in a real build: what they decide, and who never sees them. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placeSections } from '../../patches/place.ts';
import { readPatch } from '../../patches/read.ts';
import { invertPatch, writePatch } from '../../patches/write.ts';
import { tinyProject } from '../rig/tiny-project.ts';

const code = (...lines: string[]) => `${lines.join('\n')}\n`;
const BUG = code('def grade(points):', '    return "C"');
const GOLD = code(
  'def grade(points):',
  '    if points >= 9:',
  '        return "A"',
  '    if points >= 5:',
  '        return "B"',
  '    return "C"',
);
/** Passes the listed test, and not the hidden one. */
const SPECIAL = code('def grade(points):', '    return {10: "A", 5: "B"}.get(points, "C")');
const LISTED = code(
  'import unittest',
  'from calc import grade',
  'class Test(unittest.TestCase):',
  '    def test_calc(self):',
  '        self.assertEqual([grade(10), grade(5), grade(0)], ["A", "B", "C"])',
);
const HIDDEN = LISTED.replaceAll('test_calc', 'test_secret').replace(
  '[grade(10), grade(5), grade(0)]',
  '[grade(9), grade(8), grade(4)]',
);

const added = (file: string, text: string) => {
  const lines = text.trimEnd().split('\n');
  const head = `diff --git a/${file} b/${file}\nnew file mode 100644\n--- /dev/null\n+++ b/${file}\n`;
  return `${head}@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
};
const changed = (file: string, before: string, after: string) => {
  const [old, now] = [before, after].map((text) => text.trimEnd().split('\n')) as [string[], string[]];
  const head = `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1,${old.length} +1,${now.length} @@\n`;
  return `${head}${old.map((line) => `-${line}\n`).join('')}${now.map((line) => `+${line}\n`).join('')}`;
};

test('hidden tests and mutants decide verdicts, and no file for agents or trainers has them', {
  timeout: 600_000,
}, async () => {
  const project = tinyProject({
    instances: 1,
    files: { 'calc.py': BUG, 'test_calc.py': LISTED },
    recipe: '',
  });
  const first = JSON.parse(readFileSync(project.path('rows.jsonl'), 'utf8').split('\n')[0]!);
  const row = {
    ...first,
    instance_id: 'calc',
    patch: changed('calc.py', BUG, GOLD),
    patch_role: 'fix',
    FAIL_TO_PASS: ['test_calc (test_calc.Test)'],
    PASS_TO_PASS: ['test_other (test_m0.Test)'],
    HIDDEN_TESTS: ['test_secret (test_secret.Test)'],
    hidden_test_patch: added('test_secret.py', HIDDEN),
    problem_statement: 'grades are wrong',
  };
  // Of a row that makes a bug, the source has the listed tests, and the row brings the hidden ones alone.
  const bug = {
    ...first,
    HIDDEN_TESTS: ['test_secret_m0 (test_secret_m0.Test)'],
    hidden_test_patch: added(
      'test_secret_m0.py',
      code(
        'import unittest, m0',
        'class Test(unittest.TestCase):',
        '    def test_secret_m0(self):',
        '        assert m0',
      ),
    ),
  };
  writeFileSync(project.path('rows.jsonl'), `${JSON.stringify(row)}\n${JSON.stringify(bug)}\n`);
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(project.path('p.yaml'), yaml.replace('timeout: 60s', 'timeout: 60s, mutants: 4'));
  appendFileSync(
    project.path('p.yaml'),
    'agent: { type: noop }\nevaluation: { dataset: train, models: { none: {} }, predictions: { gold: [gold.json], special: [special.json] } }\n',
  );
  const prediction = (patch: string) => JSON.stringify({ calc: { model_patch: patch } });
  const reverse = writePatch(invertPatch(placeSections(readPatch(first.patch).sections, null).files)!);
  writeFileSync(
    project.path('gold.json'),
    JSON.stringify({ calc: { model_patch: row.patch }, [first.instance_id]: { model_patch: reverse } }),
  );
  writeFileSync(project.path('special.json'), prediction(changed('calc.py', BUG, SPECIAL)));
  await project.build('p.yaml');
  const metrics = (name: string) =>
    JSON.parse(readFileSync(project.path(`out/tiny/evaluate.train/${name}/report.json`), 'utf8'));
  expect(metrics('gold')).toMatchObject({ resolved_ids: ['calc', first.instance_id] });
  expect(metrics('special')).toMatchObject({ resolved_ids: [], unresolved_ids: ['calc'] });
  const seen = (await project.run('logs', `grade.train@${first.instance_id}#gold`)).stdout;
  expect(seen).toMatch(/^test_secret_m0 .*\.\.\. ok$/m);
  expect((await project.run('logs', 'validate.train@calc')).stdout).toMatch(
    /== mutants · 4 of \d are caught by listed tests · \d+\.\d s/,
  );
  const graded = (await project.run('logs', 'grade.train@calc#gold')).stdout;
  expect(graded).toMatch(/== mutants · 4 of 4 were run · /);
  expect(graded).toContain('mutants: 4\n');
  // Verdicts and reports of the person who made the rows name them; nothing else that is written out does.
  const files = readdirSync(project.path('out'), { recursive: true, encoding: 'utf8' });
  const isVerdict = (name: string) => /evaluate\.train\/.*(?:report|results|metrics|summary)/.test(name);
  const shown = files.filter((name) => /\.(?:json|jsonl|yaml|md)$/.test(name) && !isVerdict(name));
  expect(shown.length).toBeGreaterThan(2);
  for (const name of shown)
    expect(readFileSync(join(project.path('out'), name), 'utf8'), name).not.toContain('test_secret');
});
