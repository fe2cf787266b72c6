/** What the kernel keeps beside a file's content tells nothing of which file holds the bug, or which were hidden. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Deployment } from '../../../executors/deployment.ts';
import { type Kind, kinds, makeSandbox } from '../../executors/sandbox-fixture.ts';
import { environmentWithCopies, SITE } from './copies.ts';
import { diffOf, type Files, type Opened, openState } from './rig.ts';

const PAD = '# a line that makes this file long enough to be told from any other one\n';
const SOLVED = `${PAD}VALUE = "TOKEN-right-TOKEN"\n`;
/** The file with the bug is in the middle: file systems may place the first file or the last one apart. */
const SOURCE: Files = {
  ...Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `src/pkg/${at < 20 ? 'a' : 'm'}${`${at}`.padStart(2, '0')}.py`,
      `VALUE = ${at}\n`,
    ]),
  ),
  'src/pkg/core.py': SOLVED,
  'tests/test_a.py': 'a\n',
  'tests/test_b.py': 'b\n',
  'zoo/test_only.py': 'only\n',
};
const BUG = diffOf({ 'src/pkg/core.py': SOLVED }, { 'src/pkg/core.py': SOLVED.replace('right', 'wrong') });
const TASK = { patch: BUG, FAIL_TO_PASS: ['tests/test_a.py::test', 'zoo/test_only.py::test'] };

interface Trace {
  path: string;
  mtime: string;
  atime: string;
  ctime: string;
  birth: string;
  ino: number;
  rest: string;
}

/** Plain files below the folders, in the order of paths. */
async function traces({ shell }: Opened, ...folders: string[]): Promise<Trace[]> {
  const find = `find ${folders.join(' ')} -name .git -prune -o -type f -exec stat -c '%n|%y|%x|%z|%w|%i|%d %h %u %g %B' {} +`;
  const lines = (await shell(find)).trim().split('\n').sort();
  return lines.map((line) => {
    const [path, mtime, atime, ctime, birth, ino, rest] = line.split('|') as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    return { path, mtime, atime, ctime, birth, ino: Number(ino), rest };
  });
}

function distinct(found: readonly Trace[], of: (one: Trace) => string): number {
  return new Set(found.map(of)).size;
}

/** Only what the test's own user was given shows a later change, as all of them do. */
describe.each(kinds)('$name', (kind: Kind) => {
  let deployment: Deployment;
  let cleanup: () => Promise<void>;
  let opened: Opened;
  beforeAll(async () => {
    ({ deployment, cleanup } = await makeSandbox(kind));
    const environment = environmentWithCopies(SOLVED, `${PAD}HELP = 1\n`, `${SOLVED}MORE = 1\n`);
    opened = await openState({ source: SOURCE, environment, task: TASK }, deployment, kind);
  });
  afterAll(async () => {
    await opened.workspace.close();
    await cleanup();
  });

  test.each([
    ['the repository', ['/testbed/src', '/testbed/tests']],
    ['all that lies in it', ['/testbed']],
    ['an installed package with its description', [`/${SITE}/pkg`, `/${SITE}/pkg-1.0.dist-info`]],
    ['another prefix', [`/opt/env/share/copy`]],
  ])('times, owners, links and devices in %s', async (_what, folders) => {
    const found = await traces(opened, ...folders);
    expect(found.length).toBeGreaterThan(2);
    for (const of of [(one: Trace) => one.mtime, (one: Trace) => one.atime, (one: Trace) => one.rest])
      expect(distinct(found, of)).toBe(1);
  });

  test('what find and git ask for', async () => {
    const { shell } = opened;
    expect(await shell("find /testbed -newermt '2001-09-09 01:46:41 UTC' -not -path '*/.git/*'")).toBe('');
    expect(await shell('find /testbed -newer /testbed/src/pkg/a00.py -not -path "*/.git/*"')).toBe('');
    expect(await shell('find /testbed -type f -links +1; find /testbed -not -user root')).toBe('');
    expect(
      await shell('git log --format=%an,%ad --date=unix; git ls-files --debug | grep -c mtime'),
    ).toContain('1000000000');
  });

  test('the order of changes and of inodes is that of names', async () => {
    const found = await traces(opened, '/testbed/src');
    const names = found.map(({ path }) => path);
    const by = (of: (one: Trace) => string) =>
      [...found]
        .sort((a, b) => of(a).localeCompare(of(b)) || a.path.localeCompare(b.path))
        .map(({ path }) => path);
    if (kind.user === undefined) expect(by(({ ctime }) => ctime)).toEqual(names);
    if (!found.some(({ birth }) => birth === '-')) expect(by(({ birth }) => birth)).toEqual(names);
    const away = (of: readonly Trace[]) => {
      const isBug = ({ path }: Trace) => path.endsWith('core.py');
      return Math.abs([...of].sort((a, b) => a.ino - b.ino).findIndex(isBug) - of.findIndex(isBug));
    };
    // Others make and remove files on the same disk, so a number may be one that just became free; not each time.
    let least = away(found);
    for (let tries = 0; least >= 8 && tries < 4; tries += 1) {
      const again = await makeSandbox(kind);
      const another = await openState({ source: SOURCE, task: TASK }, again.deployment, kind);
      least = Math.min(least, away(await traces(another, '/testbed/src')));
      await another.workspace.close();
      await again.cleanup();
    }
    expect(least).toBeLessThan(8);
  });

  test('hidden tests leave no gap: no empty folder, no larger one, no name in a list', async () => {
    const { shell } = opened;
    expect(await shell('find /testbed -type d -empty -not -path "*/.git/*"; ls /testbed/zoo 2>&1')).toMatch(
      /^ls: /,
    );
    expect(await shell("stat -c '%s %h %y' /testbed/tests | cut -d' ' -f1,2")).toBe(
      await shell("stat -c '%s %h %y' /testbed/src/pkg | cut -d' ' -f1,2"),
    );
  });
});
