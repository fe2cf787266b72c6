/** Every leaf of the schema is in the table of what its change runs again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { CONTENTS } from './contents.ts';
import { CHANGES } from './leaves.ts';
import { leavesOf, namingLeaves, type SchemaNode } from './schema-leaves.ts';

const SCHEMA = JSON.parse(
  readFileSync(join(packageRoot(), 'schemas/project.schema.json'), 'utf8'),
) as SchemaNode;
const LEAVES = leavesOf(SCHEMA);

/** The leaf at a place of a project; undefined when there is none. */
function leafAt(place: string): string | undefined {
  const keys = place.split('/');
  return LEAVES.find((leaf) => {
    const names = leaf.split('/');
    return names.length === keys.length && names.every((name, at) => name === '*' || name === keys[at]);
  });
}

test('every leaf of the schema is changed by a line of the table', () => {
  const changed = new Set(CHANGES.map(({ place }) => leafAt(place)));
  expect(LEAVES.filter((leaf) => !changed.has(leaf))).toEqual([]);
});

test('every line of the table changes a leaf of the schema', () => {
  expect(CHANGES.map(({ place }) => place).filter((place) => leafAt(place) === undefined)).toEqual([]);
});

test('a key that is new in the schema is a leaf that the table does not name', () => {
  const grown = structuredClone(SCHEMA);
  grown.definitions!.grading!.properties!.mercy = { type: 'boolean' };
  expect(leavesOf(grown).filter((leaf) => !LEAVES.includes(leaf))).toEqual(['grading/mercy']);
});

test('every leaf that names a file, folder, program or image says what its content does', () => {
  const naming = namingLeaves(SCHEMA);
  expect(naming.length).toBeGreaterThan(30);
  const told = new Set(CONTENTS.map(({ place }) => leafAt(place) ?? place));
  expect(naming.filter((leaf) => !told.has(leaf))).toEqual([]);
  expect([...told].filter((leaf) => !LEAVES.includes(leaf))).toEqual([]);
});

test('a key that is new and names a path has no line about its content', () => {
  const grown = structuredClone(SCHEMA);
  grown.definitions!.grading!.properties!.rules = { type: 'string', 'x-path': 'path' };
  grown.definitions!.grading!.properties!.command = { type: 'string' };
  const known = namingLeaves(SCHEMA);
  expect(namingLeaves(grown).filter((leaf) => !known.includes(leaf))).toEqual([
    'grading/rules',
    'grading/command',
  ]);
});
