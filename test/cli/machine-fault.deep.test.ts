/** Paths that cannot be written: a fault of the machine that names the path, never a bug of ours. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { machineFault } from '../../basics/machine-fault.ts';
import { atEnd } from '../rig/at-end.ts';
import { command } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

let project: Project;
beforeAll(async () => {
  project = tinyProject({ instances: 1, type: 'local' });
  expect((await command(project, 'build', 'p.yaml')).code).toBe(0);
});

/** The command must end with code 3 and an E003 that names `path`. */
async function refused(path: string, why: RegExp, ...args: string[]): Promise<void> {
  const end = await command(project, ...args);
  expect([end.code, end.stderr]).toEqual([3, expect.stringMatching(why)]);
  expect(end.stderr).toContain(path);
  expect(end.stderr).toContain('E003  ');
  expect(end.stderr).not.toMatch(/E999|bug in swemake/);
}

test('a compiled part that does not start says what the machine lacks', () => {
  const message =
    "/usr/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by /x/node.glibc.node)";
  const error = Object.assign(new Error(`${message}\nmore`), { code: 'ERR_DLOPEN_FAILED' });
  expect(machineFault(error)).toBe(
    `${message}; swemake needs glibc 2.34 and libstdc++ of GCC 11, or later, as Debian 12, Ubuntu 22.04 and RHEL 9 have them`,
  );
});

describe('T31 an output path', () => {
  test('of which a part is a file, or that is a folder itself', async () => {
    rmSync(project.path('out'), { recursive: true });
    writeFileSync(project.path('out'), 'a file');
    await refused(
      project.path('out'),
      /a part of this path is a file|it is there already/,
      'build',
      'p.yaml',
    );
    rmSync(project.path('out'));
    mkdirSync(project.path('out/tiny/filter.train/passed.jsonl/below'), { recursive: true });
    await refused('passed.jsonl', /it is a folder, where a file is needed/, 'build', 'p.yaml');
    rmSync(project.path('out'), { recursive: true });
    // What was made is kept: the files come as soon as they can.
    const end = await command(project, 'build', 'p.yaml');
    expect([end.code, end.stdout]).toEqual([0, expect.stringContaining('passed.jsonl')]);
  });

  test('of the lock file', async () => {
    mkdirSync(project.path('p.yaml.lock/below'), { recursive: true });
    await refused('p.yaml.lock', /it is a folder/, 'lock', 'p.yaml');
    rmSync(project.path('p.yaml.lock'), { recursive: true });
  });

  test('of the cache', async () => {
    writeFileSync(project.path('file'), '');
    for (const folder of ['file', 'file/cache'])
      await refused(
        project.path(folder),
        /is there already|is a file/,
        'build',
        'p.yaml',
        '--set',
        `cache.folder=${folder}`,
      );
  });

  test('on a file system that is read-only', async (context) => {
    const folder = temporaryFolder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'none', folder], { stdio: 'ignore' });
    } catch {
      return context.skip('needs the right to mount');
    }
    atEnd(() => execFileSync('umount', ['-l', folder]));
    await refused(
      folder,
      /the file system is read-only/,
      'build',
      'p.yaml',
      '--set',
      `cache.folder=${folder}/cache`,
    );
  });
});

test('other errors are no faults of the machine, and errors of ours speak for themselves', () => {
  expect(machineFault(new TypeError('x is undefined'))).toBeNull();
  expect(
    machineFault(Object.assign(new Error('gone'), { code: 'ENOENT', syscall: 'open', path: '/x' })),
  ).toBeNull();
  expect(machineFault('text')).toBeNull();
  expect(machineFault(Object.assign(new Error('the cache is read-only: /c'), { code: 'EROFS' }))).toBe(
    'the cache is read-only: /c',
  );
  const refusedByKernel = { code: 'EACCES', syscall: 'rename', path: '/a.tmp', dest: '/a' };
  expect(machineFault(Object.assign(new Error('EACCES'), refusedByKernel))).toBe(
    '/a: permission denied (EACCES)',
  );
});
