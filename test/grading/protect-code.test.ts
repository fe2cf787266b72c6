/** Which code of other languages than Python a test command protects: tests and scripts that start them, and not what they test. */
import { expect, test } from 'vitest';
import { ecosystemNamed } from '../../ecosystems/registry.ts';
import { protectionOf } from '../../grading/rules/protect.ts';

const FILES: Record<string, string> = {
  'index.js': "module.exports = require('./lib/core.js');\n",
  'lib/core.js': 'exports.value = 1;\n',
  'lib/util.js': 'exports.half = 0.5;\n',
  'test/unit/core.js': "import core from '../../lib/core.js';\nimport x from '../../index.js';\n",
  'src/core.test.js': "import core from './core.js';\nimport util from '../lib/util.js';\n",
  'src/core.js': 'export const value = 1;\n',
  'checks/core.js': "import core from '../lib/core.js';\n",
  'scripts/run.js': "require('./setup');\nrequire('../lib/core.js');\nspawn('sh', ['scripts/all.sh']);\n",
  'scripts/setup.js': "require('../index.js');\n",
  'scripts/all.sh': 'node scripts/more.js\n',
  'scripts/more.js': '',
  'run.js': "require('./index.js');\n",
  'package.json': '{ "scripts": { "test": "mocha test/unit/core.js && node scripts/run.js" } }',
};

/** Files of the repository that a patch may not change. */
function protectedBy(command: string, testPatch = ''): string[] {
  const paths = new Set(Object.keys(FILES));
  const files = { paths, read: (path: string) => FILES[path] ?? null, linked: () => null };
  const instance = { patch: '', test_patch: testPatch, FAIL_TO_PASS: [], PASS_TO_PASS: [] };
  const { protects } = ecosystemNamed('npm').tests!;
  const { reasonOf } = protectionOf(instance as never, command, { files: files as never, protects });
  const always = ['package.json', 'src/core.test.js', 'test/unit/core.js'];
  return [...paths].filter((path) => reasonOf(path) !== null && !always.includes(path)).sort();
}

test.each<[string, string[]]>([
  ['npx mocha test/unit/core.js -R tap', []],
  ['npx mocha --reporter tap ./test/unit/core.js', []],
  ['npx vitest run src/core.test.js', []],
  ['npm test', ['scripts/all.sh', 'scripts/more.js', 'scripts/run.js', 'scripts/setup.js']],
  ['node scripts/run.js', ['scripts/all.sh', 'scripts/more.js', 'scripts/run.js', 'scripts/setup.js']],
  ['node run.js', ['run.js']],
])('%s', (command, files) => expect(protectedBy(command)).toEqual(files));

test('a file that the test patch brings is a test, whatever its name', () => {
  const diff =
    "diff --git a/checks/core.js b/checks/core.js\n--- a/checks/core.js\n+++ b/checks/core.js\n@@ -1 +1,2 @@\n import core from '../lib/core.js';\n+x;\n";
  expect(protectedBy('npx mocha checks/core.js', diff)).toEqual(['checks/core.js']);
  expect(protectedBy('npx mocha checks/core.js')).toEqual(['checks/core.js']);
});
