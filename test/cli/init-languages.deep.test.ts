/** A repository of JavaScript without a project: its manifest says how its tests run, for `init` and for `mutate`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../cli/main.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

const FILES = {
  'package.json': JSON.stringify({
    ...{ name: 'mine', version: '1.0.0' },
    scripts: { test: 'node --test --test-reporter=spec' },
  }),
  'clamp.js': `exports.clamp = (value, low = 0, high = 10) => {
  if (value < low) return low;
  if (value > high) return high;
  return value;
};
`,
  'test/clamp.test.js': `const test = require('node:test');
const assert = require('node:assert');
const { clamp } = require('../clamp.js');

test('low', () => assert.equal(clamp(-1), 0));
test('high', () => assert.equal(clamp(11), 10));
test('inside', () => assert.equal(clamp(5), 5));
`,
};

test('init and mutate of a repository of JavaScript', async () => {
  const folder = temporaryFolder();
  makeRepository(folder, 'mine', FILES);
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'home-cache') };
  const run = async (...args: string[]) => {
    let text = '';
    const sink = { write: (more: string) => (text += more) };
    const code = await main(args, { stdout: sink, stderr: sink, env, cwd: folder, isTTY: false });
    return { code, text };
  };
  const made = await run('init', '--from', './mine', '--count', '1', '--name', 'one');
  expect(made.code, made.text).toBe(0);
  const project = readFileSync(join(folder, 'project.yaml'), 'utf8');
  expect(project).toContain('ecosystem: "npm"\n      toolchain: { node: "20.19.0" }\n');
  // A rule for all would be about packages of Python.
  expect(project).not.toContain('match: {}');
  const passed = async (file: string, name: string) => {
    const built = await run('build', file, 'filter');
    expect(built.code, built.text).toBe(0);
    const lines = readFileSync(join(folder, 'out', name, 'filter.train/passed.jsonl'), 'utf8');
    return lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).instance_id);
  };
  expect(await passed('project.yaml', 'one')).toHaveLength(1);

  // Without a project the rows say it themselves, so they are built by any.
  const mutated = await run('mutate', './mine', '--count', '1', '-o', 'own.jsonl');
  expect(mutated.code, mutated.text).toBe(0);
  const row = JSON.parse(readFileSync(join(folder, 'own.jsonl'), 'utf8'));
  expect(row.recipe).toEqual({
    ...{ ecosystem: 'npm', toolchain: { node: '20.19.0' } },
    ...{ test: 'node --test --test-reporter=tap', parser: 'node-test' },
  });
  const bare = project
    .replace(/environments:[\s\S]*?\n\n/, '')
    .replace('rows.jsonl', 'own.jsonl')
    .replace('name: one', 'name: two');
  expect(bare).not.toContain('ecosystem');
  writeFileSync(join(folder, 'bare.yaml'), bare);
  expect(await passed('bare.yaml', 'two')).toEqual([row.instance_id]);
}, 600_000);

test('where no test passes, a project is left whose recipe one can correct', async () => {
  const folder = temporaryFolder();
  const { 'test/clamp.test.js': tests, ...code } = FILES;
  makeRepository(folder, 'hidden', { ...code, 'checks/clamp.js': tests });
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'home-cache') };
  const run = async (...args: string[]) => {
    let text = '';
    const sink = { write: (more: string) => (text += more) };
    const code = await main(args, { stdout: sink, stderr: sink, env, cwd: folder, isTTY: false });
    return { code, text };
  };
  const refused = await run('init', '--from', './hidden', '--count', '1');
  expect(refused.code, refused.text).toBe(1);
  expect(refused.text).toContain('no test passes twice');
  const again = 'mutate ./hidden --project project.yaml --repo local/hidden --count 1 -o rows.jsonl';
  expect(refused.text).toContain(
    `correct the recipe in project.yaml, which was written, then run swemake ${again}`,
  );
  const file = join(folder, 'project.yaml');
  const draft = readFileSync(file, 'utf8');
  const command = 'node --test --test-reporter=tap';
  expect(draft).toContain(command);
  writeFileSync(file, draft.replace(command, `${command} checks/clamp.js`));
  const made = await run(...again.split(' '));
  expect(made.code, made.text).toBe(0);
  expect(readFileSync(join(folder, 'rows.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
}, 300_000);
