import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freshFolder, privacyProblem, privateFolder } from '../../basics/private-folder.ts';
import { temporaryFolder } from '../rig/folder.ts';

const user = process.getuid!();
const isRoot = user === 0;
if (!isRoot) process.stdout.write('skipped: folders of other users, which need root to be made\n');

function around() {
  const runtime = temporaryFolder();
  chmodSync(runtime, 0o700);
  return { env: { XDG_RUNTIME_DIR: runtime }, home: temporaryFolder(), user };
}

const modeOf = (path: string) => statSync(path).mode & 0o7777;

describe('a folder of this user alone', () => {
  test('lies in the runtime folder, and is found again', () => {
    const place = around();
    const found = privateFolder('tokens', place);
    expect(found).toEqual({ ok: true, value: join(place.env.XDG_RUNTIME_DIR, 'swemake', 'tokens') });
    expect(found.ok && modeOf(found.value)).toBe(0o700);
    expect(privateFolder('tokens', place)).toEqual(found);
  });

  test('lies below the home folder if the runtime folder is open to others, a link, or missing', () => {
    for (const spoil of [
      (place: ReturnType<typeof around>) => chmodSync(place.env.XDG_RUNTIME_DIR, 0o755),
      (place: ReturnType<typeof around>) => {
        const link = join(place.home, 'link');
        symlinkSync(place.env.XDG_RUNTIME_DIR, link);
        place.env.XDG_RUNTIME_DIR = link;
      },
      (place: ReturnType<typeof around>) => {
        place.env.XDG_RUNTIME_DIR = join(place.home, 'missing');
      },
    ]) {
      const place = around();
      spoil(place);
      const found = privateFolder('tokens', place);
      expect(found).toEqual({ ok: true, value: join(place.home, '.local', 'state', 'swemake', 'tokens') });
    }
  });

  test('is refused if its name is a link, or open to others', () => {
    const place = around();
    const elsewhere = temporaryFolder();
    mkdirSync(join(place.env.XDG_RUNTIME_DIR, 'swemake'), { mode: 0o700 });
    const name = join(place.env.XDG_RUNTIME_DIR, 'swemake', 'tokens');
    symlinkSync(elsewhere, name);
    expect(privateFolder('tokens', place)).toEqual({ ok: false, fault: `${name} is a link` });
    const open = join(dirname(name), 'open');
    mkdirSync(open);
    chmodSync(open, 0o750);
    expect(privateFolder('open', place)).toEqual({
      ok: false,
      fault: `${open} is open to other users (mode 0750)`,
    });
  });

  test.skipIf(!isRoot)('is refused if somebody else made it', () => {
    const place = around();
    const made = join(place.env.XDG_RUNTIME_DIR, 'swemake');
    mkdirSync(made, { mode: 0o700 });
    chownSync(made, 12345, 12345);
    expect(privateFolder('tokens', place)).toEqual({
      ok: false,
      fault: `${made} belongs to the user 12345`,
    });
  });
});

test('a fresh folder is new, closed, and in the runtime folder where that can be trusted', () => {
  const place = around();
  const fresh = freshFolder('sockets-', place);
  expect(dirname(fresh)).toBe(place.env.XDG_RUNTIME_DIR);
  expect(privacyProblem(fresh, user)).toBeNull();
  expect(freshFolder('sockets-', place)).not.toBe(fresh);
  chmodSync(place.env.XDG_RUNTIME_DIR, 0o777);
  const elsewhere = freshFolder('sockets-', place);
  expect(dirname(elsewhere)).toBe(tmpdir());
  expect(privacyProblem(elsewhere, user)).toBeNull();
});
