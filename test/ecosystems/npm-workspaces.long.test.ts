/** A repository whose packages are workspaces of npm: one needs another, and a package of the registry. Needs npm's registry. */
import { beforeAll, expect, test } from 'vitest';
import { diff, type Grades, gradePatches } from './graded.ts';

const B = 'exports.one = () => 1;\n';
const A =
  "const { one } = require('@own/b');\nconst isNumber = require('is-number');\nexports.value = () => one() + (isNumber(2) ? 1 : 0);\n";
const testFile = (value: number) =>
  `const assert = require('assert');\nconst { value } = require('../index.js');\nit('value', () => assert.strictEqual(value(), ${value}));\nit('other', () => assert.ok(true));\n`;
const FILES = {
  'package.json': JSON.stringify({
    ...{ name: 'root', version: '1.0.0', private: true, workspaces: ['packages/*'] },
    devDependencies: { mocha: '10.8.2' },
  }),
  'packages/a/package.json': JSON.stringify({
    ...{ name: '@own/a', version: '1.0.0', main: 'index.js' },
    dependencies: { '@own/b': '^1.0.0', 'is-number': '7.0.0' },
  }),
  'packages/a/index.js': A,
  'packages/a/test/a.js': testFile(2),
  'packages/b/package.json': JSON.stringify({ name: '@own/b', version: '1.0.0', main: 'index.js' }),
  'packages/b/index.js': B,
};

let grades: Grades;

beforeAll(async () => {
  grades = await gradePatches({
    recipe:
      'ecosystem: npm, toolchain: { node: "20.19.0" }, test: "npx mocha --reporter tap packages/a/test/a.js"',
    files: FILES,
    rows: {
      'npm.1': {
        patch: diff('packages/b/index.js', B, B.replace('1;', '2;')),
        test_patch: diff('packages/a/test/a.js', testFile(2), testFile(3)),
        FAIL_TO_PASS: ['value'],
        PASS_TO_PASS: ['other'],
      },
    },
    patches: {
      'npm.1': {
        'the other package': diff('packages/a/index.js', A, A.replace('? 1', '? 2')),
        'nothing is solved': diff('packages/a/index.js', A, `${A}// nothing\n`),
      },
    },
  });
}, 1_800_000);

test('is a sound task with a witness', () => {
  expect(grades.validated('npm.1')).toEqual({ status: 'ok' });
  expect(grades.weaknesses('npm.1')).toEqual([]);
});

test('patches to both packages count', () => {
  expect(grades.of('npm.1', 'the other package')).toEqual({ status: 'ok' });
  expect(grades.of('npm.1', 'nothing is solved')).toMatchObject({ status: 'failed' });
});
