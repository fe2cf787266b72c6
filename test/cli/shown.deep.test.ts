/** Real commands show what a build printed, and none of its control sequences reaches a terminal. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** Characters that a terminal acts on, or that are invisible. */
const ANY_CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/u;

describe('commands', () => {
  const hasScript = spawnSync('script', ['--version']).status === 0;
  if (!hasScript) console.log('skipped in part: script is missing');

  test('say what a build printed without its control sequences', { timeout: 300_000 }, async () => {
    const printed = String.raw`printf '\033]0;pwned\007\033[2J\n::error::forged\nlost\302\233x\342\200\256y\n' >&2; exit 3`;
    const project = tinyProject({ instances: 1, recipe: `      pre_install: [${JSON.stringify(printed)}]` });
    const said: string[] = [];
    for (const args of [
      ['build', 'p.yaml'],
      ['build', 'p.yaml', '--json'],
      ['status'],
      ['why', 'environments.train'],
      ['logs', '--json', 'environments.train'],
      ['retry', 'p.yaml', 'environments.train'],
    ]) {
      const { stdout, stderr } = await project.run(...args);
      said.push(stdout, stderr);
    }
    expect(said.join('\n')).toContain('lost');
    expect(said.join('\n')).not.toMatch(ANY_CONTROL);
    const logs = ['logs', 'environments.train'];
    expect((await project.run(...logs)).stdout).toContain('\u001b]0;pwned');
    if (!hasScript) return;
    const command = [process.execPath, join(packageRoot(), 'bin/swemake.js'), ...logs].map(
      (part) => `'${part}'`,
    );
    const options = {
      cwd: project.folder,
      encoding: 'utf8',
      input: '',
      env: { ...process.env, PAGER: 'cat', TERM: 'xterm', XDG_CACHE_HOME: project.path('home-cache') },
    } as const;
    const terminal = execFileSync('script', ['-qec', command.join(' '), '/dev/null'], options);
    expect(terminal).toContain('␛]0;pwned');
    expect(terminal).not.toMatch(/\u001b\]|\u009b|\u202e/);
    const github = { ...options, env: { ...options.env, GITHUB_ACTIONS: 'true' } };
    const { stdout } = spawnSync(process.execPath, [join(packageRoot(), 'bin/swemake.js'), ...logs], github);
    expect(stdout).toContain(': :error::forged');
    expect(stdout).not.toMatch(/^\s*::/m);
  });
});
