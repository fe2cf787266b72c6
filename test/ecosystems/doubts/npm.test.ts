/** Which code in JavaScript and TypeScript is doubtful, and that honest code of the same look has no finding. */
import { expect, test } from 'vitest';
import { ecosystemNamed } from '../../../ecosystems/registry.ts';
import { type Case, testDoubts } from './cases.ts';

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'uses-test-library': [
    ['m.js', "const { Runner } = require('mocha');\n"],
    ['lib/m.ts', "import { expect } from 'vitest';\n"],
    ['m.mjs', "await import('@vitest/expect');\n"],
  ],
  'reads-tests': [
    ['m.js', 'exports.value = () => process.env.JEST_WORKER_ID ? 2 : 1;\n'],
    ['m.js', "exports.value = () => (typeof it === 'function' ? 2 : 1);\n"],
    ['m.js', "const isTest = process.env.NODE_ENV === 'test';\n"],
    ['m.js', 'globalThis.it = () => {};\n'],
    ['m.js', 'beforeEach(function () { this.currentTest.fn = () => {}; });\n'],
  ],
  'reads-frames': [['m.js', "if (/test/.test(new Error('x').stack)) return 2;\n"]],
  'controls-interpreter': [
    ['m.js', 'process.env.x; setenv(\'a\'); const one = "UPDATE_SNAPSHOTS=1";\n'],
    ['m.js', "process.binding('fs');\n"],
    ['m.js', "fs.writeFileSync('/proc/' + process.ppid + '/fd/1', text);\n"],
  ],
  'constant-comparison': [
    ['m.js', 'return { asymmetricMatch: () => true };\n'],
    ['m.ts', 'class A { static [Symbol.hasInstance]() { return true; } }\n'],
  ],
  'hides-code': [['m.js', "const outer = fs.readFileSync.constructor('return process')();\n"]],
};

/** Code behind a text of several lines. */
const BEHIND_TEXTS: readonly Case[] = [
  ['m.js', 'const a = `\n//`; process.binding("fs");\n'],
  ['m.js', 'const a = `\n/*`; process.binding("fs"); const b = `*/`;\n'],
  ['m.js', "const a = '\\\n//'; process.binding('fs');\n"],
];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'm.js': ['Error(', 'equals(', 'Error(()', '.constructor(', "from 'mocha/", '`\n//'],
};

const HONEST: readonly Case[] = [
  [
    'm.js',
    "/*\n * As beforeEach() does, and don't\n */\n// process.binding('fs') isn't used.\nexport const two = 2;\n",
  ],
  ['m.js', "const assert = require('assert');\nconsole.error(error.stack);\nstack.push(1);\n"],
  ['m.ts', "import { createRequire } from 'node:module';\nexport const test = /a/.test('a');\n"],
  [
    'm.js',
    "if (process.env.NODE_ENV !== 'production') warn();\nclass A { equals(o) { return o.n === this.n; } }\n",
  ],
];

testDoubts('npm', { doubtful: DOUBTFUL, behindTexts: BEHIND_TEXTS, beginnings: BEGINNINGS, honest: HONEST });

test.each(['yarn', 'pnpm'])('%s has the same doubts', (kin) => {
  expect(ecosystemNamed(kin).tests!.doubts).toBe(ecosystemNamed('npm').tests!.doubts);
});
