/** A build that may not reach a host: the commands that make a project say with which option it may, and write it down. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusedHosts, withHosts } from '../../app/refused-hosts.ts';
import { initCommand } from '../../cli/init.ts';
import { mineCommand } from '../../cli/mine.ts';
import { mutateCommand } from '../../cli/mutate.ts';
import { refusal } from '../../stages/environments/outside.ts';
import { projectFolder, resolved, run } from '../compiler/project-folder.ts';

const ROW = {
  instance_id: 'o__r-1',
  repo: 'o/r',
  source: 'git+./repo@main',
  patch: 'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-A = 1\n+A = 2\n',
  FAIL_TO_PASS: ['t::a'],
  PASS_TO_PASS: [],
};

test('hosts are read out of what a build says of its proxy', () => {
  const seen = { refused: ['a.example', 'b.example:8443'] } as unknown as Parameters<typeof refusal>[2];
  const detail = `install[0]: exit code 1; ${refusal('curl', 'a.example b.example:8443', seen)}`;
  expect(refusedHosts(detail)).toEqual(['a.example', 'b.example:8443']);
  expect(refusedHosts('the build failed')).toEqual([]);
  expect(withHosts('init', ['--from', './it is'], [detail, detail])).toBe(
    "if its builds may fetch from there: swemake init --from './it is' --allow-host a.example --allow-host b.example:8443",
  );
  expect(withHosts('init', [], ['the build failed'])).toBeNull();
});

describe('--allow-host', () => {
  test('becomes allow_hosts of the deployment', async () => {
    const folder = projectFolder({ 'rows.jsonl': `${JSON.stringify(ROW)}\n` });
    const hosts = ['--allow-host', 'a.example', '--allow-host', '*.b.example'];
    const made = await run(initCommand, ['--from', 'rows.jsonl', ...hosts], folder);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const text = readFileSync(join(folder, 'project.yaml'), 'utf8');
    expect(text).toContain('    allow_hosts: ["a.example", "*.b.example"]\n');
    const { config } = await resolved({ 'p.yaml': text });
    expect(config.deployments.box).toMatchObject({ allow_hosts: ['a.example', '*.b.example'] });
  });

  test.each([
    [initCommand, ['--from', 'rows.jsonl', '--allow-host', 'https://a.example/x'], 'cannot be used'],
    [initCommand, ['--template', 'quickstart', '--allow-host', 'a.example'], 'has no effect with --template'],
    [
      mineCommand,
      ['.', '--project', 'p.yaml', '--allow-host', 'a.example'],
      'write allow_hosts in the deployment',
    ],
    [
      mutateCommand,
      ['x==1', '--project', 'p.yaml', '--allow-host', 'a.example'],
      'write allow_hosts in the deploy',
    ],
  ])('%o %s: %s', async (command, args, said) => {
    const folder = projectFolder({ 'rows.jsonl': `${JSON.stringify(ROW)}\n`, '.git/HEAD': '' });
    const end = await run(command, args, folder);
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});
