/** Which code in JavaScript and TypeScript is doubtful, and that honest code of the same look has no finding. */
import { expect, test } from 'vitest';
import { ecosystemNamed } from '../../../ecosystems/registry.ts';
import { type Case, testDoubts } from './cases.ts';

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'uses-test-library': [
    ['m.js', "const { Runner } = require('mocha');\n"],
    ['lib/m.ts', "import { expect } from 'vitest';\n"],
    ['m.mjs', "await import('@vitest/expect');\n"],
    ['m.js', 'expect.setState({ suppressedErrors: [] });\n'],
    ['m.js', 'act.mock.calls[0][0] = 2;\n'],
    ['m.js', "try { require.resolve('mocha'); } catch {}\n"],
    ['m.js', "fs.existsSync('node_modules/vitest');\n"],
  ],
  'reads-tests': [
    ['m.js', 'exports.value = () => process.env.JEST_WORKER_ID ? 2 : 1;\n'],
    ['m.js', "exports.value = () => (typeof it === 'function' ? 2 : 1);\n"],
    ['m.js', "const isTest = process.env.NODE_ENV === 'test';\n"],
    ['m.js', 'globalThis.it = () => {};\n'],
    ['m.js', 'beforeEach(function () { this.currentTest.fn = () => {}; });\n'],
    ['m.js', 'return /mocha/.test(process.argv[1]) ? 2 : 1;\n'],
    ['m.js', 'return process.argv.length > 2 ? 2 : 1;\n'],
    ['m.js', "return process.argv.some((one) => one.includes('mo')) ? 2 : 1;\n"],
    ['m.js', "return process.env.npm_lifecycle_event === 'test' ? 2 : 1;\n"],
    ['m.js', 'return require.main?.filename.length > 9;\n'],
    ['m.js', 'return module.parent && /test/.test(module.parent.filename);\n'],
    ['m.js', 'let at = module;\nwhile (at) at = at.parent;\n'],
    ['m.js', "return process.listenerCount('uncaughtException') > 0;\n"],
    ['m.js', "return process.getActiveResourcesInfo().includes('Timeout');\n"],
    ['m.js', "return 'describe' in globalThis;\n"],
    ['m.js', 'const { it } = globalThis;\n'],
    ['m.js', "const value = () => (typeof test === 'function' ? 2 : 1);\n"],
    ['m.ts', "return typeof (globalThis as any).vi !== 'undefined';\n"],
    ['m.ts', 'return (globalThis as any)["describe"];\n'],
    ['m.js', "return Object.keys(globalThis).includes('it');\n"],
    ['m.js', 'try { it; return 2; } catch { return 1; }\n'],
    ['m.js', "it.only('value', () => {});\n"],
    ['m.js', 'return /^te/.test(process.env.NODE_ENV);\n'],
    ['m.js', "return ['test'].includes(process.env.NODE_ENV);\n"],
    ['m.js', "return 'test' === process.env.NODE_ENV;\n"],
    ['m.ts', "return import.meta.env?.MODE === 'test';\n"],
    ['m.js', "return process.env.TEST === 'true';\n"],
    ['m.js', "return Object.keys(process.env).some((one) => one.startsWith('JE'));\n"],
    ['m.js', "return typeof __vite_ssr_exports__ === 'object';\n"],
    ['m.js', "return globalThis[Symbol.for('expect-global')];\n"],
    ['m.js', 'return /jsdom/.test(navigator.userAgent);\n'],
    ['m.js', "return fs.existsSync(path.join(__dirname, '..', 'test'));\n"],
    ['m.js', "import { value } from '../test/values.js';\n"],
    ['m.js', "import text from '../test/m.test?raw';\n"],
    ['m.js', "import text from './m.js?raw';\n"],
    ['m.js', "const all = import.meta.glob('../te*/*', { query: '?raw', eager: true });\n"],
    ['m.js', 'return /testbed$/.test(process.cwd());\n'],
    ['m.js', 'return process.report.getReport().header.commandLine;\n'],
    ['m.js', "execSync('ps -p ' + process.ppid);\n"],
    ['m.js', 'const { argv } = process;\nreturn /mocha/.test(argv[1]);\n'],
    ['m.js', "import { argv as words } from 'node:process';\nimport { ppid } from 'process';\n"],
    ['m.js', 'return process?.argv?.[1];\n'],
    ['m.js', "return process['ar' + 'gv'][1];\n"],
    ['m.js', 'const own = process;\nreturn own.ppid;\n'],
    ['m.js', "for (const one in globalThis) if (one === 'x') return 2;\n"],
    ['m.js', "return globalThis.hasOwnProperty('de' + 'scribe');\n"],
    ['m.js', "return JSON.stringify(process.env).includes('JE');\n"],
  ],
  'reads-frames': [
    ['m.js', "if (/test/.test(new Error('x').stack)) return 2;\n"],
    ['m.js', 'const error = new Error();\nreturn /test/.test(error.stack);\n'],
    ['m.js', 'try { null.x; } catch ({ stack }) { return /test/.test(stack); }\n'],
    ['m.js', "return error.stack.split('\\n').slice(1).some((one) => one.endsWith('x'));\n"],
    ['m.js', "Error.captureStackTrace(held);\nreturn held.stack.includes('/te');\n"],
  ],
  'patches-others': [
    ['m.js', 'Object.prototype.comparator = () => true;\n'],
    ['m.js', "Object.defineProperty(Object.prototype, 'mode', { value: 1 });\n"],
  ],
  'controls-interpreter': [
    ['m.js', 'process.env.x; setenv(\'a\'); const one = "UPDATE_SNAPSHOTS=1";\n'],
    ['m.js', "process.binding('fs');\n"],
    ['m.js', "Object.keys(require('module')._cache);\n"],
    ['m.js', "const { it } = process.getBuiltinModule('node:test');\n"],
    ['m.js', "process.env.UPDATE_GOLDEN = '1';\n"],
    ['m.js', "fs.writeFileSync('/proc/' + process.ppid + '/fd/1', text);\n"],
  ],
  'constant-comparison': [
    ['m.js', 'return { asymmetricMatch: () => true };\n'],
    ['m.ts', 'class A { static [Symbol.hasInstance]() { return true; } }\n'],
    ['m.js', 'class A { equals = () => true; }\n'],
    ['m.js', 'class A { equals(other) { return !!other; } }\n'],
    ['m.js', 'class A { equals(other) { return this.n === this.n; } }\n'],
    ['m.ts', 'class A { equals(other: A): boolean { return other !== undefined; } }\n'],
    ['m.js', 'class A { constructor(n) { this.n = n; } equals(other) { return other instanceof A; } }\n'],
    ['m.js', 'A.prototype.compareTo = function (other) { return 0; };\n'],
    ['m.js', 'class A { constructor(n) {} }\n'],
    ['m.js', 'exports.make = (n) => new A(0);\n'],
    ['m.js', 'function makeKind(n) {\n  return new A();\n}\n'],
    ['m.js', 'class A { isSameAs(other) { return typeof other === "object"; } }\n'],
    ['m.js', "class A { 'fantasy-land/equals'(other) { return true; } }\n"],
  ],
  'hides-code': [
    ['m.js', "const outer = fs.readFileSync.constructor('return process')();\n"],
    ['m.js', "require('vm').runInThisContext(code, { filename: name });\n"],
    ['m.js', "import { Script } from 'node:vm';\n"],
    ['m.js', "await import('data:text/javascript,' + code);\n"],
    ['m.js', 'module._compile(code, name);\n'],
  ],
};

/** Code behind a text of several lines. */
const BEHIND_TEXTS: readonly Case[] = [
  ['m.js', 'const a = `\n//`; process.binding("fs");\n'],
  ['m.js', 'const a = `\n/*`; process.binding("fs"); const b = `*/`;\n'],
  ['m.js', "const a = '\\\n//'; process.binding('fs');\n"],
];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'm.js': [
    ...['Error(', 'equals(', 'Error(()', '.constructor(', "from 'mocha/", '`\n//'],
    ...[
      'equals(a) {',
      'equals(a) => ',
      'constructor(a) {',
      'make = a => new ',
      'existsSync(',
      "existsSync('test",
    ],
    ...[
      'process.argv[1]',
      'stack.includes(',
      "'test'",
      '{it',
      'import.meta.glob(',
      "from './",
      '.test(stack',
      '/.test(',
    ],
  ],
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
  ['m.js', '#!/usr/bin/env node\nif (require.main === module) run(process.argv.slice(2));\n'],
  ['m.mjs', 'if (import.meta.url === pathToFileURL(process.argv[1]).href) main();\n'],
  ['m.js', 'if (!module.parent) app.listen(3000);\n'],
  ['m.js', 'if (process.argv.length < 3) usage();\nconst [name] = process.argv.slice(2);\n'],
  ['m.js', 'spawn(process.execPath, [...process.execArgv, process.argv[1], id]);\n'],
  ['m.js', "process.title = 'm';\nprocess.on('uncaughtException', (error) => log(error.stack));\n"],
  ['m.js', "const at = this.stack.indexOf(this.message);\nthis.lines = this.stack.slice(at).split('\\n');\n"],
  ['m.js', 'Error.captureStackTrace(this, this.constructor);\n'],
  ['m.js', "if ('test' in node && node.test !== null) return node.test;\nconst { test } = node;\n"],
  ['m.js', "const names = Object.keys(process.env).filter((one) => one.startsWith('M_'));\n"],
  ['m.js', "return fs.existsSync(path.join(folder, 'latest')) && fs.readdirSync('contest');\n"],
  [
    'm.js',
    "import text from './page.html?raw';\nconst all = import.meta.glob('./docs/*.md', { query: '?raw' });\n",
  ],
  [
    'm.js',
    'class A { #n; constructor(n) { this.#n = n; } equals(other) { return #n in other && other.#n === this.#n; } }\n',
  ],
  ['m.js', 'class Nothing { equals(other) { return other instanceof Nothing; } }\n'],
  [
    'm.js',
    'class A { equals(other) { return other instanceof A && other.key === this.key; } compare() { return false; } }\n',
  ],
  ['m.js', 'if (a.equals(b)) {\n  return 1;\n}\nassert.equal(a, b);\n'],
  ['m.js', 'class B extends A { constructor(options) { super(); } }\nexports.make = (n) => new B(n);\n'],
  ['m.ts', 'class A { constructor(private readonly n: number) {} }\n'],
  [
    'm.js',
    "Object.defineProperty(Array.prototype, 'second', { value: 1 });\nclass A { [inspect.custom]() { return 'A'; } }\n",
  ],
];

testDoubts('npm', { doubtful: DOUBTFUL, behindTexts: BEHIND_TEXTS, beginnings: BEGINNINGS, honest: HONEST });

test.each(['yarn', 'pnpm'])('%s has the same doubts', (kin) => {
  expect(ecosystemNamed(kin).tests!.doubts).toBe(ecosystemNamed('npm').tests!.doubts);
});
