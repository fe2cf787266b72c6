/** Toolchains that are folders of the machine, with programs of the test's own that say a version. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyFolder, findFolder } from '../../../tasks/toolchains/machine-folder.ts';

const parent = mkdtempSync(join(tmpdir(), 'swemake-toolchains-'));
const SOURCE = {
  from: 'folder',
  parents: () => [parent, join(parent, 'nowhere')],
  parts: ['bin', 'lib', 'libexec'],
  program: 'rustc',
  option: '--version',
} as const;

function make(name: string, said: string): string {
  const folder = join(parent, name);
  for (const part of ['bin', 'lib', 'share']) mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'bin/rustc'), `#!/bin/sh\necho '${said}'\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'lib/code'), said);
  writeFileSync(join(folder, 'share/manual'), 'long');
  return folder;
}

const find = (version: string) => findFolder('rust', version, SOURCE, process.env);

beforeAll(() => {
  make('stable', 'rustc 1.95.0 (59807616e 2026-04-14)');
  make('nightly', 'rustc 1.97.0-nightly (abc 2026-05-01)');
  mkdirSync(join(parent, 'empty'));
  symlinkSync(join(parent, 'stable'), join(parent, 'zz-other'));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('a version is looked for among the folders by what their programs say', async () => {
  expect(await find('1.95.0')).toMatchObject({ ok: true, value: { path: join(parent, 'stable') } });
  expect(await find('1.97.0-nightly')).toMatchObject({ ok: true, value: { path: join(parent, 'nightly') } });
});

test('of several whose versions begin with the wanted one, the newest is taken', async () => {
  for (const version of ['1.94.9', '1.94.10', '1.95.0'])
    make(`several/${version}`, `rustc ${version} (1 2026-03-01)`);
  const several = join(parent, 'several');
  const among = (version: string) =>
    findFolder('rust', version, { ...SOURCE, parents: () => [several] }, process.env);
  expect(await among('1.94')).toMatchObject({ value: { path: join(several, '1.94.10') } });
  expect(await among('1')).toMatchObject({ value: { path: join(several, '1.95.0') } });
  expect(await among('1.9')).toMatchObject({ ok: false });
});

test('a path names a folder by itself, also by a link', async () => {
  expect(await find(join(parent, 'zz-other'))).toMatchObject({ value: { path: join(parent, 'stable') } });
});

describe('there is none', () => {
  test('a version is missing, and those that are there are named', async () => {
    const found = await find('1.81.0');
    expect(found).toMatchObject({ ok: false, fault: { status: 'infra', reason: 'tool-missing' } });
    expect(JSON.stringify(found)).toMatch(
      /no rust 1\.81\.0 .* have 1\.97\.0-nightly, 1\.95\.0; write the path/,
    );
  });

  test('a path is no such folder', async () => {
    const found = await find(join(parent, 'empty'));
    expect(JSON.stringify(found)).toContain('is no folder of rust: it has no bin/rustc');
  });
});

test('only what belongs to it is copied', async () => {
  const found = await find('1.95.0');
  if (!found.ok) throw new Error(found.fault.detail);
  const into = join(parent, 'empty/copy');
  await copyFolder(found.value, into, SOURCE);
  expect(readdirSync(into).sort()).toEqual(['bin', 'lib']);
  expect(readFileSync(join(into, 'lib/code'), 'utf8')).toContain('1.95.0');
});

test('links that lead out become what they name, and those inside stay', async () => {
  const [folder, outside] = [make('linked', 'rustc 1.50.0'), join(parent, 'etc')];
  mkdirSync(join(outside, 'security'), { recursive: true });
  writeFileSync(join(outside, 'jvm.cfg'), 'server');
  writeFileSync(join(outside, 'security/policy'), 'none');
  const link = (target: string, name: string) => symlinkSync(target, join(folder, 'lib', name));
  link(join(outside, 'jvm.cfg'), 'jvm.cfg');
  link('../../etc/security', 'security');
  link(join(folder, 'lib/code'), 'absolute');
  link('code', 'inside');
  link('/nowhere/src.zip', 'src.zip');
  const found = await find('1.50.0');
  if (!found.ok) throw new Error(found.fault.detail);
  const into = join(parent, 'empty/linked');
  await copyFolder(found.value, into, SOURCE);
  rmSync(folder, { recursive: true });
  const text = (name: string) => readFileSync(join(into, 'lib', name), 'utf8');
  expect([text('jvm.cfg'), text('security/policy'), text('inside')]).toEqual([
    'server',
    'none',
    'rustc 1.50.0',
  ]);
  expect(text('absolute')).toBe('rustc 1.50.0');
  expect([readlinkSync(join(into, 'lib/inside')), readlinkSync(join(into, 'lib/src.zip'))]).toEqual([
    'code',
    '/nowhere/src.zip',
  ]);
  make('linked', 'rustc 1.50.0');
  link(join(outside, 'jvm.cfg'), 'jvm.cfg');
  const before = await find('1.50.0');
  writeFileSync(join(outside, 'jvm.cfg'), 'another server');
  expect(await find('1.50.0')).not.toEqual(before);
});

test('another file means another toolchain', async () => {
  const state = async () => {
    const found = await find('1.95.0');
    return found.ok ? found.value.state : null;
  };
  const before = await state();
  expect(await state()).toBe(before);
  writeFileSync(join(parent, 'stable/share/manual'), 'longer');
  expect(await state()).toBe(before);
  writeFileSync(join(parent, 'stable/lib/code'), 'other code');
  expect(await state()).not.toBe(before);
});
