/**
 * What docs/promises.md promises of all versions with one first number: nothing that `recorded.json` has is gone or means something
 * else. New keys, options, routes and members may come; `PROMISES=add` writes them down, and takes nothing away.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { type Key, type Surface, surfaceOf } from './surface.ts';

const FILE = join(import.meta.dirname, 'recorded.json');
const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Surface;
let now: Surface;

beforeAll(async () => {
  now = await surfaceOf(await printed());
  if (process.env.PROMISES === 'add') writeFileSync(FILE, textOf(grown(recorded, now)));
}, 120_000);

/** An entry a line. */
function textOf(surface: Surface): string {
  const parts = Object.entries(surface).map(([part, entries]) => {
    const lines = Array.isArray(entries)
      ? entries.map((one) => JSON.stringify(one))
      : Object.entries(entries).map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`);
    const [open, close] = Array.isArray(entries) ? ['[', ']'] : ['{', '}'];
    return `"${part}": ${open}\n${lines.join(',\n')}\n${close}`;
  });
  return `{\n${parts.join(',\n')}\n}\n`;
}

/** What commands print with `--json` of a project that was built once. */
const PRINTED: Readonly<Record<string, string[]>> = {
  plan: ['plan', 'p.yaml'],
  status: ['status', 'p.yaml'],
  check: ['check', 'p.yaml'],
  why: ['why', 'dataset.train', '--project', 'p.yaml'],
  verify: ['verify', 'p.yaml'],
  gc: ['gc', 'p.yaml', '--dry-run'],
  build: ['build', 'p.yaml', 'dataset'],
};

async function printed(): Promise<Surface['json']> {
  const project = new Project();
  const archive = join(import.meta.dirname, '../cache/written/0.1.0.tar.gz');
  execFileSync('tar', ['-C', project.folder, '-xzf', archive]);
  const found: Surface['json'] = {};
  for (const [name, args] of Object.entries(PRINTED)) {
    const { stdout } = await command(project, ...args, '--json');
    const members = new Set<string>();
    for (const line of stdout.trim().split('\n')) collect(JSON.parse(line), '', members);
    found[name] = [...members].sort();
  }
  return found;
}

/** Names of members; those that are names of the project's own things are left out. */
function collect(value: unknown, path: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) collect(one, `${path}[]`, found);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) {
      if (!/^[a-z][A-Za-z_]*$/.test(key)) continue;
      const place = path === '' ? key : `${path}.${key}`;
      found.add(place);
      collect(one, place, found);
    }
}

function grown(before: Surface, after: Surface): Surface {
  const union = (old: readonly string[] = [], more: readonly string[] = []) =>
    [...new Set([...old, ...more])].sort();
  const lists = (old: Record<string, string[]>, more: Record<string, string[]>) =>
    Object.fromEntries(
      union(Object.keys(old), Object.keys(more)).map((key) => [key, union(old[key], more[key])]),
    );
  return {
    keys: { ...after.keys, ...before.keys },
    trajectory: { ...after.trajectory, ...before.trajectory },
    commands: lists(before.commands, after.commands),
    routes: lists(before.routes, after.routes),
    codes: union(before.codes, after.codes),
    json: lists(before.json, after.json),
  };
}

const lacking = (old: readonly string[], present: readonly string[] | undefined) =>
  old.filter((one) => present?.includes(one) !== true);

/** How a key is another one than it was. */
function changes(place: string, old: Key, present: Key | undefined): string[] {
  if (present === undefined) return [`${place} is gone`];
  return [
    ...lacking(old.types, present.types).map((type) => `${place} is no ${type} any more`),
    ...lacking(old.values ?? [], present.values ?? old.values).map(
      (value) => `${place} may not be ${value} any more`,
    ),
    ...(old.default === present.default
      ? []
      : [`${place} has the default ${present.default}, and had ${old.default}`]),
    ...(present.required === true && old.required !== true ? [`${place} must be given now`] : []),
  ];
}

describe('what was promised is there', () => {
  test('keys of projects, with their values and defaults', () => {
    expect(Object.keys(recorded.keys).length).toBeGreaterThan(300);
    const found = Object.entries(recorded.keys).flatMap(([place, key]) =>
      changes(place, key, now.keys[place]),
    );
    const isNew = Object.entries(now.keys).filter(([place, { required }]) => {
      const above = place.slice(0, place.lastIndexOf('.'));
      return required === true && recorded.keys[place] === undefined && recorded.keys[above] !== undefined;
    });
    expect(found).toEqual([]);
    // A key that must be given breaks the files that are there.
    expect(isNew.map(([place]) => place)).toEqual([]);
  });

  test('fields of trajectories', () => {
    expect(Object.keys(recorded.trajectory).length).toBeGreaterThan(50);
    const found = Object.entries(recorded.trajectory).filter(
      ([place]) => now.trajectory[place] === undefined,
    );
    expect(found.map(([place]) => place)).toEqual([]);
    expect(now.trajectory.format!.values).toEqual(
      expect.arrayContaining(recorded.trajectory.format?.values ?? ['"swemake-trajectory-1"']),
    );
  });

  test.each(['commands', 'routes', 'json'] as const)('%s', (part) => {
    expect(Object.keys(recorded[part]).length).toBeGreaterThan(4);
    const found = Object.entries(recorded[part]).flatMap(([name, list]) =>
      lacking(list, now[part][name]).map((one) => `${name}: ${one}`),
    );
    const gone = lacking(Object.keys(recorded[part]), Object.keys(now[part]));
    expect([...gone, ...found]).toEqual([]);
  });

  test('codes', () => {
    expect(recorded.codes.length).toBeGreaterThan(60);
    expect(lacking(recorded.codes, now.codes)).toEqual([]);
  });
});

test('a key that is gone, of another type, or with another default would be found', () => {
  const old: Key = { types: ['integer'], default: '2', values: ['1', '2'] };
  expect(changes('a', old, undefined)).toEqual(['a is gone']);
  expect(changes('a', old, { types: ['string'], default: '3', values: ['1'], required: true })).toEqual([
    'a is no integer any more',
    'a may not be 2 any more',
    'a has the default 3, and had 2',
    'a must be given now',
  ]);
  expect(changes('a', old, { types: ['integer', 'string'], default: '2', values: ['1', '2', '3'] })).toEqual(
    [],
  );
});
