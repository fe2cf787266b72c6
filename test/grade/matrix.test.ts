/** The matrix of attacks is whole, and docs/internal/tests.md shows it as it is. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { HOW } from './generator/attacks.ts';
import { startedTasks } from './generator/tasks.ts';
import { WHEN } from './generator/when.ts';
import { WHERE } from './generator/where.ts';
import { CLASSES, cellsOf, matrixTable, memberName } from './matrix.ts';

const USERS = ['root', 'an ordinary user'];
const docs = readFileSync(join(packageRoot(), 'docs/internal/tests.md'), 'utf8');

describe('the matrix of attacks', () => {
  const tasks = startedTasks();

  test('has three members of each class under each way to start tests, and as each user', () => {
    const all = tasks.flatMap((task, way) =>
      cellsOf(way, task, USERS.length).map((cell) => ({ task, cell })),
    );
    for (const { name } of CLASSES) {
      for (const task of tasks) {
        const cells = all.filter((one) => one.task === task && one.cell.kind === name);
        const members = new Set(cells.map(({ cell }) => memberName(cell.member)));
        expect(members.size, `${name} under ${task.name}`).toBeGreaterThanOrEqual(3);
        const users = new Set(cells.map(({ cell }) => cell.user));
        expect(users.size, `${name} under ${task.name}`).toBe(USERS.length);
      }
      for (const [user, who] of USERS.entries()) {
        const cells = all.filter(({ cell }) => cell.kind === name && cell.user === user);
        const members = new Set(cells.map(({ cell }) => memberName(cell.member)));
        expect(members.size, `${name} as ${who}`).toBeGreaterThanOrEqual(3);
      }
    }
  });

  test('is made of attacks that there are, and names tests that there are', () => {
    for (const { members, also } of CLASSES) {
      for (const [framework, list] of Object.entries(members))
        for (const { where, variant, when, how } of list) {
          expect(WHERE[where]?.variants, where).toContain(variant);
          expect(WHEN, when).toHaveProperty([when]);
          expect(HOW[how]?.frameworks ?? [framework], how).toContain(framework);
        }
      for (const file of also) expect(existsSync(resolve(import.meta.dirname, file)), file).toBe(true);
    }
  });

  test('stands in docs/internal/tests.md', () => {
    expect(docs).toContain(matrixTable(tasks, USERS));
  });
});

test('docs/internal/tests.md names every deep test of grading', () => {
  const deep = readdirSync(import.meta.dirname).filter((path) => path.endsWith('.deep.test.ts'));
  expect(deep.length).toBeGreaterThan(0);
  expect(deep.filter((path) => !docs.includes(`\`test/grade/${path}\``))).toEqual([]);
});
