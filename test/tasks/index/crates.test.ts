/** The index of crates as builds see it: the real cargo, and an index of the test behind the local one. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { absentPackages, packageAnswer } from '../../../tasks/index/release-answer.ts';
import { temporaryFolder } from '../../rig/folder.ts';
import { tarGzOf } from '../../rig/tar.ts';
import { clientHome, type Door, openDoor } from './door.ts';
import { type StaticRegistry, staticRegistry } from './static-registry.ts';

const AS_OF = '2022-07-01';

let crates: StaticRegistry;
let doors: Door[];
beforeEach(async () => {
  crates = await staticRegistry();
  doors = [];
  crates.offer('config.json', JSON.stringify({ dl: `${crates.url}/api`, api: crates.url }));
  offerCrate('le/ft/left', 'left', [
    { version: '1.0.0', day: '2020-01-01' },
    { version: '1.1.0', day: '2021-01-01', needs: ['abc'] },
    { version: '1.2.0', day: '2022-01-01', yanked: true },
    { version: '1.3.0', day: '2023-01-01' },
  ]);
  offerCrate('3/a/abc', 'abc', [{ version: '0.1.0' }, { version: '0.1.1', day: '2024-01-01' }]);
});
afterEach(async () => {
  for (const door of doors) await door.close();
  await crates.close();
});

interface OfferedCrate {
  version: string;
  day?: string;
  yanked?: boolean;
  needs?: string[];
}

function offerCrate(path: string, name: string, versions: readonly OfferedCrate[]) {
  const lines = versions.map(({ version, day, yanked = false, needs = [] }) => {
    const manifest = [
      `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"`,
      '[dependencies]',
      ...needs.map((need) => `${need} = "0.1"`),
    ];
    const bytes = tarGzOf([
      { name: `${name}-${version}/Cargo.toml`, content: manifest.join('\n') },
      { name: `${name}-${version}/src/lib.rs`, content: '' },
    ]);
    crates.offer(`api/${name}/${version}/download`, bytes);
    const cksum = createHash('sha256').update(bytes).digest('hex');
    const deps = needs.map((need) => ({
      name: need,
      req: '^0.1',
      features: [],
      optional: false,
      default_features: true,
      target: null,
      kind: 'normal',
    }));
    const time = day === undefined ? {} : { pubtime: `${day}T00:00:00Z` };
    return JSON.stringify({ name, vers: version, deps, cksum, features: {}, yanked, ...time });
  });
  crates.offer(path, `${lines.join('\n')}\n`);
}

async function open(options: Parameters<typeof openDoor>[1] = {}): Promise<Door> {
  const home = temporaryFolder();
  mkdirSync(join(home, '.cargo'));
  const config = `[source.crates-io]\nreplace-with = 'near'\n\n[source.near]\nregistry = "sparse+${crates.url}/"\n`;
  writeFileSync(join(home, '.cargo/config.toml'), config);
  const door = await openDoor({ HOME: home }, options);
  doors.push(door);
  return door;
}

function hasCargo(): boolean {
  try {
    execFileSync('cargo', ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Where rustup has the real cargo of a home that is another one. */
const RUSTUP = { RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup') };

const PROJECT = {
  'Cargo.toml':
    '[package]\nname = "own"\nversion = "0.0.1"\nedition = "2021"\n\n[dependencies]\nleft = "1"\n',
  'src/lib.rs': '',
};
const versionsIn = (body: string) =>
  body
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { vers: string }).vers);

test('the real cargo fetches what there was on a day, and what there is today', async ({ skip }) => {
  if (!hasCargo()) skip('there is no cargo on this machine');
  const { registry, index } = await open();
  for (const [asOf, version] of [
    [AS_OF, '1.1.0'],
    [null, '1.3.0'],
  ] as const) {
    const client = clientHome(registry('crates', asOf), PROJECT);
    expect(await client.run('cargo', ['fetch'], RUSTUP)).toMatchObject({ code: 0 });
    const lock = readFileSync(join(client.project, 'Cargo.lock'), 'utf8');
    expect(lock).toContain(`name = "left"\nversion = "${version}"`);
    // The lock file says nothing of the index that stood in.
    expect(lock).toContain('registry+https://github.com/rust-lang/crates.io-index');
    // What was fetched is enough without any network.
    const asked = ['metadata', '--offline', '--locked', '--format-version', '1'];
    const offline = await client.run('cargo', asked, RUSTUP);
    expect(offline).toMatchObject({ code: 0 });
  }
  expect(index.notes(AS_OF, 0)).toEqual([
    {
      project: 'abc (crates)',
      text: 'the registry does not tell when 1 of its versions came, so they are all shown',
    },
  ]);
  const pinned = { ...PROJECT, 'Cargo.toml': PROJECT['Cargo.toml'].replace('"1"', '"=1.3.0"') };
  const later = await clientHome(registry('crates', AS_OF), pinned).run('cargo', ['fetch'], RUSTUP);
  expect(later.code).not.toBe(0);
});

test('lines are cut at the day; yanked ones stay and say so', async () => {
  const { get, index } = await open();
  const body = await (await get('crates', AS_OF, 'le/ft/left')).text();
  expect(versionsIn(body)).toEqual(['1.0.0', '1.1.0', '1.2.0']);
  expect(body).toContain('"yanked":true');
  const config = (await (await get('crates', AS_OF, 'config.json')).json()) as { dl: string };
  expect((await fetch(`${config.dl}/left/1.2.0/download`)).status).toBe(200);
  const later = await fetch(`${config.dl}/left/1.3.0/download`);
  expect([later.status, await later.text()]).toEqual([
    404,
    'left 1.3.0 is of 2023-01-01, after 2022-07-01\n',
  ]);
  expect((await get('crates', '2019-01-01', 'le/ft/left')).status).toBe(404);
  expect(index.missing('2019-01-01', 0)).toMatchObject([
    { name: 'left', version: null, why: 'left had no version as of 2019-01-01: its first is of 2020-01-01' },
  ]);
  expect((await get('crates', AS_OF, 'no/pe/left')).status).toBe(404);
  expect(await index.versions('crates', 'left', '2020-06-01')).toEqual({ ok: true, value: ['1.0.0'] });
});

test('an archive that is another one, and an index that is none, are faults and are not kept', async () => {
  const { get, seen, store } = await open();
  crates.offer('api/left/1.0.0/download', 'something else');
  expect((await get('crates', AS_OF, 'dl/left/1.0.0/download')).status).toBe(502);
  expect(seen.at(-1)!.lost).toContain('the registry says');
  expect(existsSync(store) ? readdirSync(store) : []).toEqual([]);
  for (const body of ['<html>Welcome</html>', '{"name":"left"}', '']) {
    crates.offer('ot/he/other', body);
    expect((await get('crates', AS_OF, 'ot/he/other')).status).toBe(502);
    expect(seen.at(-1)!.lost).toContain('package index’s answer');
  }
});

test('an index that tells its own times is known by a crate that everybody knows, and told', async () => {
  offerCrate('li/bc/libc', 'libc', [{ version: '0.1.0', day: '2026-03-01' }]);
  const { get, index } = await open();
  const body = await (await get('crates', AS_OF, 'le/ft/left')).text();
  expect(versionsIn(body)).toHaveLength(4);
  expect(index.notes(AS_OF, 0)[0]!.text).toContain('times are its own');
});

test('what was missing is asked for again, and is found once it is there', async () => {
  const { get, index } = await open();
  await get('crates', null, 'la/te/late');
  await get('crates', null, 'dl/left/9.0.0/download');
  await get('crates', null, 'dl/left/1.0.0/download');
  const sought = { kind: 'package', dialect: 'crates', asOf: null };
  expect(await absentPackages(index, 'crates', null, 0)).toMatchObject({
    ok: true,
    value: [
      { sought: { ...sought, name: 'late', version: null }, answer: 'absent' },
      { sought: { ...sought, name: 'left', version: '9.0.0' }, answer: 'absent' },
    ],
  });
  offerCrate('la/te/late', 'late', [{ version: '1.0.0', day: '2020-01-01' }]);
  const other = await open();
  const late = { dialect: 'crates', name: 'late', version: null };
  expect(await packageAnswer(other.index, late, null)).toEqual({
    ok: true,
    value: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  crates.intercept = (_, response) => {
    response.writeHead(500).end();
    return true;
  };
  const down = await open();
  expect(await packageAnswer(down.index, late, null)).toMatchObject({ ok: false });
});
