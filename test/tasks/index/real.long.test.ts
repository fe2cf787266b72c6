/**
 * The registries of this machine behind the local index, by their real clients: what is installed as of a day, and what each registry tells of
 * times. A registry that cannot be reached is skipped.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientHome, type Door, openDoor } from './door.ts';

const AS_OF = '2022-07-01';

let door: Door;
beforeAll(async () => {
  door = await openDoor(process.env);
});
afterAll(() => door.close());

function has(program: string): boolean {
  try {
    execFileSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Why a test cannot be made here; null: it can. */
async function hindrance(dialect: string, name: string, program: string): Promise<string | null> {
  if (!has(program)) return `there is no ${program} on this machine`;
  const versions = await door.index.versions(dialect, name, null);
  if (!versions.ok) return `the ${dialect} registry cannot be asked: ${versions.fault.detail}`;
  return versions.value.length === 0 ? `the ${dialect} registry has no ${name}` : null;
}

/** What the index tells of the times of a package at the day. */
async function told(dialect: string, name: string): Promise<{ count: number; notes: string[] }> {
  const since = performance.now();
  const versions = await door.index.versions(dialect, name, AS_OF);
  if (!versions.ok) throw new Error(versions.fault.detail);
  return {
    count: versions.value.length,
    notes: door.index.notes(AS_OF, since).map(({ project, text }) => `${project}: ${text}`),
  };
}

test('npm', async ({ skip }) => {
  const why = await hindrance('npm', 'ms', 'npm');
  if (why !== null) skip(why);
  const { count, notes } = await told('npm', 'express');
  console.log(`npm: express as of ${AS_OF}: ${count} versions; ${notes.join('; ') || 'times are believed'}`);
  const client = clientHome(door.registry('npm', AS_OF));
  const ran = await client.run('npm', ['install', 'express', '@types/ms']);
  expect(ran).toMatchObject({ code: 0 });
  const { version } = JSON.parse(
    readFileSync(join(client.project, 'node_modules/express/package.json'), 'utf8'),
  );
  console.log(`npm: installed express ${version}`);
  // express 5 came in 2024.
  expect(notes.length > 0 || version.startsWith('4.')).toBe(true);
  expect(existsSync(join(client.project, 'node_modules/@types/ms/package.json'))).toBe(true);
});

test('crates', async ({ skip }) => {
  const why = await hindrance('crates', 'serde', 'cargo');
  if (why !== null) skip(why);
  const { count, notes } = await told('crates', 'serde');
  console.log(`crates: serde as of ${AS_OF}: ${count} versions; ${notes.join('; ') || 'times are believed'}`);
  const project = {
    'Cargo.toml':
      '[package]\nname = "own"\nversion = "0.0.1"\nedition = "2018"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n',
    'src/lib.rs': 'use serde::Serialize;\n#[derive(Serialize)]\npub struct A;\n',
  };
  const client = clientHome(door.registry('crates', AS_OF), project);
  const rustup = { RUSTUP_HOME: process.env.RUSTUP_HOME ?? join(homedir(), '.rustup') };
  expect(await client.run('cargo', ['fetch'], rustup)).toMatchObject({ code: 0 });
  const lock = readFileSync(join(client.project, 'Cargo.lock'), 'utf8');
  console.log(`crates: ${/name = "serde"\nversion = "([^"]+)"/.exec(lock)?.[1]}`);
  // The next one came on the day after.
  if (notes.length === 0) expect(lock).toContain('name = "serde"\nversion = "1.0.137"');
});

test('go', async ({ skip }) => {
  const why = await hindrance('go', 'golang.org/x/text', 'go');
  if (why !== null) skip(why);
  const { count } = await told('go', 'github.com/stretchr/testify');
  console.log(`go: testify as of ${AS_OF}: ${count} versions`);
  const project = {
    'go.mod': 'module example.com/own\n\ngo 1.18\n',
    'own.go': 'package own\n\nimport _ "github.com/stretchr/testify/assert"\n',
  };
  const client = clientHome(door.registry('go', AS_OF), project);
  const go = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod -modcacherw' };
  expect(await client.run('go', ['get', 'github.com/stretchr/testify/assert'], go)).toMatchObject({
    code: 0,
  });
  const mod = readFileSync(join(client.project, 'go.mod'), 'utf8');
  // The newest of that day: 1.8.0 is of 2022-06-29.
  expect(mod).toContain('github.com/stretchr/testify v1.8.0');
  const releases = await door.index.versions('go', 'golang.org/toolchain', AS_OF);
  expect(releases.ok && releases.value.some((one) => /go1\.18(?:\.\d)?\.linux-amd64$/.test(one))).toBe(true);
  expect(releases.ok && releases.value.some((one) => one.includes('go1.22'))).toBe(false);
});

test('maven', async ({ skip }) => {
  const why = await hindrance('maven', 'junit:junit', 'mvn');
  if (why !== null) skip(why);
  const { count, notes } = await told('maven', 'junit:junit');
  console.log(`maven: junit as of ${AS_OF}: ${count} versions; ${notes.join('; ') || 'times are believed'}`);
  const pom =
    '<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>own</artifactId><version>1</version><properties><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency></dependencies></project>';
  const client = clientHome(door.registry('maven', AS_OF), { 'pom.xml': pom });
  const home = `-Duser.home=${client.home}`;
  const ran = await client.run('mvn', ['-B', '-q', home, 'process-resources']);
  expect(ran).toMatchObject({ code: 0 });
  const repository = join(client.home, '.m2/repository/org/apache/maven/plugins');
  expect(readdirSync(repository)).toContain('maven-resources-plugin');
  expect(await client.run('mvn', ['-B', '-q', '-o', home, 'process-resources'])).toMatchObject({ code: 0 });
});
