/** The diff that git makes of what a shell script does to a repository: links, modes, moves, in whatever style. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Files, REPOSITORY } from './task.ts';

/** `options` are those of `git diff`; settings as `-c name=value` come first. */
export function shellDiff(
  script: string,
  options: readonly string[] = [],
  files: Files = REPOSITORY,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-shell-'));
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const git = (...args: string[]) =>
    run('git', '-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'core.autocrlf=false', ...args);
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content ?? '');
    }
    git('init', '-q');
    git('add', '-A', '-f');
    git('commit', '-q', '-m', 'Task');
    run('bash', '-ec', script);
    git('-c', 'advice.addEmbeddedRepo=false', 'add', '-A', '-f');
    const settings = options
      .filter((option) => option.includes('=') && !option.startsWith('-'))
      .flatMap((one) => ['-c', one]);
    const rest = options.filter((option) => option.startsWith('-'));
    return git(...settings, 'diff', '--cached', '--binary', '--full-index', ...rest, 'HEAD');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
