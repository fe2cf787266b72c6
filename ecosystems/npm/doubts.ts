/** Code of JavaScript and TypeScript that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';
import { COMPARISON, keepsValue, looksAtOther, MAKER } from './comparisons.ts';
import { SOURCES } from './node.ts';
import { plainScript } from './plain.ts';

/** Names of objects that have all others. */
const GLOBAL = '(?:globalThis|global|window|self)';
const RUNNERS_NAME = '(?:it|test|describe|expect|jest|vi|beforeEach|afterEach|beforeAll|afterAll)';
/** A folder of tests, or a file in it, in quotes. */
const TEST_PLACE = String.raw`["'\`](?:[^"'\`\n]{0,200}\/)?(?:tests?|specs?|__tests__)(?:\/[^"'\`\n]{0,200})?["'\`]`;

export const npmDoubts: CodeDoubts = {
  sources: SOURCES,
  grammar: (path) => (/\.[cm]?ts$/.test(path) ? 'typescript' : path.endsWith('.tsx') ? 'tsx' : 'javascript'),
  longQuotes: /`/,
  plain: plainScript,
  names: [
    ...PROCESS_DOUBTS,
    [
      'uses-test-library',
      /(?:\brequire\(|\bfrom|\bimport\(?)\s*["'`](?:node:test|mocha|chai|expect|should|sinon|jest|@jest|jest-\w[\w-]*|vitest|@vitest)(?:\/[^"'`]*)?["'`]/g,
    ],
    [
      'uses-test-library',
      /(?<![\w.$])(?:jest|vi)\s*\.\s*(?:retryTimes|setConfig|(?:do|un)?[mM]ock|setMock|spyOn|fn|useFakeTimers|setTimeout|resetModules|stub(?:Global|Env)|hoisted|isolateModules|(?:require|import)Actual|replaceProperty)\b/g,
    ],
    [
      'reads-tests',
      /\b(?:(?:JEST|MOCHA)_WORKER_ID|VITEST(?:_\w+)?|NODE_TEST_CONTEXT|__vitest_worker__)\b|\bNODE_ENV\b["'\]]*\s*!?={1,2}=?\s*["'`]test\b|\btypeof\s+(?:it|describe|jest|vi|beforeEach|afterEach)\b|\b(?:globalThis|global|window|self)(?:(?:\s+as\s+[\w.]{1,40})?\s*\))?\s*(?:\?\.|\.|\[\s*["'`])(?:it|test|describe|expect|jest|vi|beforeEach|afterEach|beforeAll|afterAll)\b|\bimport\.meta\.vitest\b|\.(?:test|spec)\.[cm]?[jt]sx?\b|\b(?:beforeEach|afterEach|beforeAll|afterAll)\s*\(/g,
    ],
    [
      'reads-frames',
      new RegExp(
        String.raw`\bError\(${INSIDE}\)\s*\.stack\b|\bprepareStackTrace\b|\bstackTraceLimit\b|\barguments\.callee\b`,
        'g',
      ),
    ],
    [
      'controls-interpreter',
      /\bprocess\.(?:binding|_linkedBinding|reallyExit|dlopen|mainModule|execve)\b|["'`](?:node:)?inspector(?:\/promises)?["'`]|\bsetFlagsFromString\b|\brequire\.cache\b|\bmodule\.constructor\b|\bModule\._\w+|\bhandleTestEvent\b/g,
    ],
    // What the process was started with; programs read the words behind these, and ask whether they are the main one.
    [
      'reads-tests',
      /(?<![,[]\s{0,9})\bprocess\.argv\s*\[\s*1\s*\]/g,
      (code, index) =>
        /\bimport\.meta\.(?:url|filename)\b|\b__filename\b|\brequire\.main\b/.test(
          code.slice(Math.max(0, index - 150), index + 150),
        ),
    ],
    ['reads-tests', /\bprocess\.argv\.length\b/g, /\bprocess\.argv(?:\[\s*2\b|\.slice\(\s*2\b)/],
    [
      'reads-tests',
      /\bprocess\.argv\s*\.\s*(?:some|every|find\w*|join|at|toString)\(|\.test\(\s*(?:String\(\s*|JSON\.stringify\(\s*)?process\.argv\b|\bprocess\.(?:ppid|argv0|report)\b|\bprocess\.title\b(?!\s*=(?!=))|\bprocess\.execArgv\.(?:length|some|find\w*|includes|indexOf)\b|\bnpm_(?:lifecycle_\w+|command)\b/g,
    ],
    [
      'reads-tests',
      /\brequire\.main\s*(?:\?\.|\.|\[|&&)|\bmodule\.(?:parent\s*(?:\?\.|\.|\[|&&)|children\b(?!\s*=(?!=)))|\b(?:const|let|var)\s+\w+\s*=\s*(?:module|require\.main)\s*[;,]|\{[^{}]{0,99}\bparent\b[^{}]{0,99}\}\s*=\s*module\b/g,
    ],
    [
      'reads-tests',
      /\bprocess\.(?:listenerCount|listeners|rawListeners|eventNames)\s*\(|\bprocess\._getActive\w+|\bgetActiveResourcesInfo\b/g,
    ],
    [
      'reads-tests',
      new RegExp(
        String.raw`["'\`]${RUNNERS_NAME}["'\`]\s*in\s+${GLOBAL}\b|\{[^{}]{0,99}\b${RUNNERS_NAME}\b[^{}]{0,99}\}\s*=\s*${GLOBAL}\b|\b(?:Object\.(?:keys|entries|getOwnPropertyNames|getOwnPropertyDescriptors?|hasOwn)|Reflect\.(?:ownKeys|has|get))\(\s*${GLOBAL}\s*[,)]|[;{]\s*${RUNNERS_NAME}\s*;|\b(?:describe|beforeEach|afterEach)\s*(?:\?(?![.?])|&&)|(?<![\w.$])(?:it|describe)\.only\(|\bfor\s*\(\s*(?:const|let|var)\s+\w+\s+(?:in|of)\s+${GLOBAL}\s*\)|["'\`](?:describe|beforeEach|afterEach|jest|vi)["'\`]\s*in\s+this\b|${GLOBAL}\.hasOwnProperty\(|(?<![\w.$])(?:describe|beforeEach|afterEach)\s*[!=]==?`,
        'g',
      ),
    ],
    [
      'reads-tests',
      /\.test\(\s*process\.env\.NODE_ENV\b|["'`]test["'`]\s*(?:\]\s*\.\s*(?:includes|indexOf)\(|[!=]==?)\s*process\.env\.NODE_ENV\b|\bNODE_ENV\b["'`\]]*\s*(?:\?\.|\.)\s*(?:startsWith|includes|match|indexOf|at|charAt)\(|\bMODE\b["'`\]]*\s*[!=]==?\s*["'`]test\b|["'`]test["'`]\s*[!=]==?[^;\n]{0,40}\.MODE\b|\bprocess\.env(?:\.|\[\s*["'`])TEST\b|\bObject\.(?:keys|entries|values)\(\s*process\.env\s*\)\s*\.\s*(?:some|find\w*|includes|join)\(|\bJSON\.stringify\(\s*process\.env\s*\)\s*\.|\.test\(\s*JSON\.stringify\(\s*process\.env\b/g,
    ],
    [
      'reads-tests',
      /\btypeof\s+__vite_\w+|\b__vitest_\w+|\bexpect-global\b|\bjest-(?:native|symbol)-\w+|["'`/]jsdom\b/gi,
    ],
    [
      'reads-tests',
      new RegExp(
        String.raw`\b(?:existsSync|l?statSync|accessSync|readdirSync|opendirSync|readdir|access)\([^;\n]{0,150}?${TEST_PLACE}|(?:\bfrom|\bimport\(?|\brequire\()\s*["'\`]\.[^"'\`\n]{0,200}\/(?:tests?|specs?|__tests__)\/`,
        'g',
      ),
    ],
    // The text of code, as a compiler gives it.
    [
      'reads-tests',
      /["'`][^"'`\n]{0,200}(?:\.[cm]?[jt]sx?|\/[^"'`.\n/]{0,99}|\.(?:test|spec))\?(?:raw|inline)\b|\bimport\.meta\.glob\(\s{0,20}\[?\s{0,20}["'`](?![^"'`\n]{0,200}\.(?![cm]?[jt]sx?["'`])\w+["'`])[^"'`\n]{0,200}["'`][^()]{0,200}\braw\b/g,
    ],
    ['reads-tests', /\/testbed\b|\btestbed\$?\//g],
    [
      'reads-frames',
      /\bstack\s*(?:\?\.|\.)\s*(?:includes|match|matchAll|search|indexOf|lastIndexOf|startsWith|endsWith)\(\s*["'`/]|(?<!Error)\/\w*\.(?:test|exec)\(\s*(?:\w+\s*(?:\?\.|\.)\s*)?stack\b|\bgetCallSites?\b|\bstack\s*\.\s*split\([^()]{0,40}\)(?:\s*\.\s*(?:slice|map|reverse)\([^()]{0,60}\)){0,3}\s*\.\s*(?:some|every|find\w*|includes|length|at)\b/g,
    ],
    [
      'controls-interpreter',
      /\brequire\(\s*["'`](?:node:)?module["'`]\s*\)\s*(?:\?\.|\.)?\s*(?:\[\s*["'`])?_\w+|["'`]_(?:cache|load|extensions|resolveFilename|compile|pathCache)["'`]|\bgetBuiltinModule\b/g,
    ],
    [
      'uses-test-library',
      /\b(?:require|import\.meta)\.resolve\(\s*["'`](?:mocha|chai|jest|vitest|jasmine|sinon|ava|tap)\b|["'`/]node_modules\/(?:mocha|chai|jest|vitest|jasmine|\.bin\/(?:mocha|jest|vitest))\b|(?<![\w.$])expect\s*\.\s*(?:getState|setState|extend|addSnapshotSerializer|addEqualityTesters|extractExpectedAssertionsErrors)\b|\.mock\s*\.\s*(?:calls|results|instances|contexts|lastCall|invocationCallOrder|settledResults)\b/g,
    ],
    [
      'controls-interpreter',
      /\bprocess\.env(?:\.|\[\s*["'`])\w*(?:GOLDEN|SNAPSHOT|BLESS|FIXTURE|REGEN|BASELINE|UPDATE)\w*(?:["'`]\s*\])?\s*(?:\?\?|\|\|)?=(?!=)/g,
    ],
    [
      'patches-others',
      /\bObject\.prototype\s*(?:\.\s*\w+|\[[^\][]{1,60}\])\s*=(?!=)|\b(?:Object\.(?:defineProperty|defineProperties|assign)|Reflect\.(?:set|defineProperty))\(\s*Object\.prototype\b/g,
    ],
    [
      'reads-tests',
      /\btypeof\s+(?:test|expect|suite)\b/g,
      // Code may call its own things so.
      /(?:\b(?:const|let|var|function\*?|class|import)\s+|[(,{[]\s*)(?:test|expect|suite)\s*(?:[,)=:}\]]|from\b|\()/,
    ],
    ['constant-comparison', COMPARISON, looksAtOther],
    ['constant-comparison', MAKER, keepsValue],
    // A list that has all.
    [
      'constant-comparison',
      /\b(?:indexOf|includes|contains)\s{0,20}(?:[:=]\s{0,20}(?:function\s{0,20})?)?\([^()]{0,99}\)\s{0,20}(?:=>\s{0,20}(?:true|0)\b|(?:=>\s{0,20})?\{\s{0,20}return\s+(?:true|0)\b)/g,
    ],
    [
      'hides-code',
      /(?<![.\w])eval\(|\bnew Function\(|\.constructor\(\s*["'`]|\bimport\(\s*["'`]data:|\b(?:vm|require\(\s*["'`](?:node:)?vm["'`]\s*\))\s*\.\s*(?:runIn\w+|Script|compileFunction|SourceTextModule)\b|["'`](?:node:)?vm["'`]|\bmodule\._\w+/g,
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\basymmetricMatch\b|\basymmetricMatcher\b|\bcustomEqualityTesters\b|\bjest-matchers-object\b|\bSymbol\.hasInstance\b|\b(?:equals?|isEqual)\s*\(${INSIDE}\)\s*\{\s*return\s+true;?\s*\}`,
        'g',
      ),
    ],
  ],
};
