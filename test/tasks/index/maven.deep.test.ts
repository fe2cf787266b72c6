/** Repositories of Maven as builds see them: the real mvn, and a repository of the test behind the local index. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../rig/folder.ts';
import { clientHome, type Door, openDoor } from './door.ts';
import { type StaticRegistry, staticRegistry } from './static-registry.ts';

const AS_OF = '2022-07-01';
const FOLDER = 'org/example/base';

let maven: StaticRegistry;
let doors: Door[];
beforeEach(async () => {
  maven = await staticRegistry();
  doors = [];
  offerAll([
    ['1.0', '2020-01-01'],
    ['2.0', '2021-01-01'],
    ['1.9', '2021-06-01'],
    ['3.0', '2023-01-01'],
  ]);
});
afterEach(async () => {
  for (const door of doors) await door.close();
  await maven.close();
});

const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

function offerAll(versions: readonly (readonly [string, string | undefined])[]) {
  const list = versions.map(([version]) => `      <version>${version}</version>`).join('\n');
  maven.offer(
    `${FOLDER}/maven-metadata.xml`,
    `<?xml version="1.0"?>\n<metadata>\n  <groupId>org.example</groupId>\n  <artifactId>base</artifactId>\n  <versioning>\n    <latest>3.0</latest>\n    <release>3.0</release>\n    <versions>\n${list}\n    </versions>\n    <lastUpdated>20230101000000</lastUpdated>\n  </versioning>\n</metadata>\n`,
  );
  for (const [version, day] of versions) {
    const pom = `<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>base</artifactId><version>${version}</version><packaging>pom</packaging><properties><seen>base-${version}</seen></properties></project>`;
    const path = `${FOLDER}/${version}/base-${version}.pom`;
    maven.offer(path, pom, day === undefined ? undefined : `${day}T00:00:00Z`);
    maven.offer(`${path}.sha1`, `${sha1(pom)}  base-${version}.pom`);
  }
}

async function open(options: Parameters<typeof openDoor>[1] = {}): Promise<Door> {
  const home = temporaryFolder();
  mkdirSync(join(home, '.m2'));
  writeFileSync(
    join(home, '.m2/settings.xml'),
    `<settings><mirrors><mirror><id>near</id><mirrorOf>central</mirrorOf><url>${maven.url}/</url></mirror></mirrors></settings>`,
  );
  const door = await openDoor({ HOME: home }, options);
  doors.push(door);
  return door;
}

function hasMaven(): boolean {
  try {
    execFileSync('mvn', ['--version']);
    return true;
  } catch {
    return false;
  }
}

const text = async (got: Promise<Response>) => (await got).text();

test('the real mvn resolves a range as of a day, and as of today', async ({ skip }) => {
  if (!hasMaven()) skip('there is no mvn on this machine');
  const { registry } = await open();
  const pom =
    '<project><modelVersion>4.0.0</modelVersion><parent><groupId>org.example</groupId><artifactId>base</artifactId><version>[1.0,4.0)</version><relativePath/></parent><artifactId>own</artifactId><version>1</version><packaging>pom</packaging></project>';
  for (const [asOf, version] of [
    [AS_OF, '2.0'],
    [null, '3.0'],
  ] as const) {
    const client = clientHome(registry('maven', asOf), { 'pom.xml': pom });
    const home = `-Duser.home=${client.home}`;
    expect(await client.run('mvn', ['-B', home, 'validate'])).toMatchObject({ code: 0 });
    expect(existsSync(join(client.home, '.m2/repository', FOLDER, version, `base-${version}.pom`))).toBe(
      true,
    );
    expect(await client.run('mvn', ['-B', '-o', home, 'validate'])).toMatchObject({ code: 0 });
  }
});

test('metadata is cut at the day, with sums of its own', async () => {
  const { get, index } = await open();
  const metadata = await text(get('maven', AS_OF, `${FOLDER}/maven-metadata.xml`));
  expect(metadata.replaceAll(/\s+/g, '')).toContain(
    '<latest>1.9</latest><release>1.9</release><versions><version>1.0</version><version>2.0</version><version>1.9</version></versions><lastUpdated>20210601000000</lastUpdated>',
  );
  expect(await text(get('maven', AS_OF, `${FOLDER}/maven-metadata.xml.sha1`))).toBe(sha1(metadata));
  expect(maven.asked.filter((one) => one.startsWith('HEAD') && one.includes(FOLDER))).toHaveLength(4);
  expect((await get('maven', '2019-01-01', `${FOLDER}/maven-metadata.xml`)).status).toBe(404);
  expect(index.missing('2019-01-01', 0)).toMatchObject([{ name: 'org.example:base', version: null }]);
  expect(await index.versions('maven', 'org.example:base', '2020-06-01')).toEqual({
    ok: true,
    value: ['1.0'],
  });
});

test('an artifact whose list names versions without poms had no version', async () => {
  const { get, index, seen } = await open();
  for (const version of ['1.0', '2.0', '1.9', '3.0'])
    maven.files.delete(`${FOLDER}/${version}/base-${version}.pom`);
  expect((await get('maven', AS_OF, `${FOLDER}/maven-metadata.xml`)).status).toBe(404);
  expect(seen.at(-1)!.lost).toBeNull();
  expect(index.missing(AS_OF, 0)).toMatchObject([{ name: 'org.example:base', version: null }]);
  expect(await index.versions('maven', 'org.example:base', AS_OF)).toEqual({ ok: true, value: [] });
});

test('files are compared with their sums, kept once, and named where they are missing', async () => {
  const { get, seen, store, index } = await open();
  const path = `${FOLDER}/1.0/base-1.0.pom`;
  maven.offer(`${FOLDER}/1.0/base-1.0.jar`, 'a jar');
  maven.offer(`${FOLDER}/1.0/base-1.0.jar.sha1`, sha1('another jar'));
  expect((await get('maven', AS_OF, `${FOLDER}/1.0/base-1.0.jar`)).status).toBe(502);
  expect(seen.at(-1)!.lost).toContain('the registry says');
  expect(existsSync(store) ? readdirSync(store) : []).toEqual([]);
  const all = await Promise.all([1, 2, 3].map(() => text(get('maven', AS_OF, path))));
  expect(new Set(all).size).toBe(1);
  expect(await text(get('maven', AS_OF, `${path}.sha1`))).toContain(sha1(all[0]!));
  expect(maven.asked.filter((one) => one === `GET ${path}`)).toHaveLength(1);
  expect((await get('maven', AS_OF, `${FOLDER}/9.9/base-9.9.pom`)).status).toBe(404);
  expect(seen.at(-1)!.lost).toBeNull();
  expect(index.missing(AS_OF, 0)).toEqual([
    { dialect: 'maven', name: 'org.example:base', version: '9.9', why: 'no repository has base-9.9.pom' },
  ]);
  for (const bad of [`${FOLDER}/..%2f..%2fsecret.pom`, 'x', `${FOLDER}//a.pom`])
    expect([bad, (await get('maven', AS_OF, bad)).status]).toEqual([bad, 404]);
});

test('a repository without times, or with its own, is told', async () => {
  offerAll([
    ['1.0', undefined],
    ['3.0', undefined],
  ]);
  const first = await open();
  expect(await text(first.get('maven', AS_OF, `${FOLDER}/maven-metadata.xml`))).toContain('<version>3.0<');
  expect(first.index.notes(AS_OF, 0)[0]!.text).toContain('does not tell when 2 of its versions came');
  maven.offer('junit/junit/4.8.2/junit-4.8.2.pom', '<project/>', '2026-01-01T00:00:00Z');
  const second = await open();
  await second.get('maven', AS_OF, `${FOLDER}/maven-metadata.xml`);
  expect(second.index.notes(AS_OF, 0)[0]!.text).toContain('times are its own');
});

test('a repository that is down or is none gives no answer', async () => {
  const { get, seen, index } = await open();
  for (const [status, body] of [
    [500, ''],
    [403, ''],
    [200, '<html>Welcome</html>'],
  ] as const) {
    maven.intercept = (_, response) => {
      response.writeHead(status).end(body);
      return true;
    };
    expect((await get('maven', AS_OF, `${FOLDER}/maven-metadata.xml`)).ok).toBe(false);
    expect(seen.at(-1)!.lost).toContain('the maven registry:');
    expect((await get('maven', AS_OF, `${FOLDER}/1.0/base-1.0.pom`)).ok).toBe(false);
    expect(seen.at(-1)!.lost).toContain('the maven registry:');
    // Who refuses has answered.
    expect(index.lost('maven', 0) === null).toBe(status === 403);
  }
  maven.intercept = () => false;
  await get('maven', AS_OF, `${FOLDER}/maven-metadata.xml`);
  await get('maven', AS_OF, `${FOLDER}/1.0/base-1.0.pom`);
  expect(index.lost('maven', 0)).toBeNull();
});

test('a mirror that is a folder is a fault: the index cannot ask it', async () => {
  const home = temporaryFolder();
  mkdirSync(join(home, '.m2'));
  const mirror = '<mirror><id>m</id><mirrorOf>*</mirrorOf><url>file:///srv/maven</url></mirror>';
  writeFileSync(join(home, '.m2/settings.xml'), `<settings><mirrors>${mirror}</mirrors></settings>`);
  const door = await openDoor({ HOME: home });
  doors.push(door);
  expect((await door.get('maven', AS_OF, `${FOLDER}/1.0/base-1.0.pom`)).status).toBe(502);
  expect(door.seen.at(-1)!.lost).toContain('names no repository');
});

test('what could not be had is told from a moment on, and by dialect', async () => {
  const { get, index } = await open();
  maven.intercept = (_, response) => {
    response.writeHead(503).end();
    return true;
  };
  await get('maven', null, `${FOLDER}/1.0/base-1.0.pom`);
  const later = performance.now();
  expect(index.lost('maven', 0)).toContain('503');
  expect(index.lost(null, 0)).toContain('503');
  expect(index.lost('npm', 0)).toBeNull();
  expect(index.lost('maven', later)).toBeNull();
});
