/** Code of JavaScript and TypeScript that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';
import { SOURCES } from './node.ts';

export const npmDoubts: CodeDoubts = {
  sources: SOURCES,
  longQuotes: /`/,
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
      /\b(?:JEST_WORKER_ID|VITEST(?:_\w+)?|NODE_TEST_CONTEXT|__vitest_worker__)\b|\bNODE_ENV\b["'\]]*\s*!?={1,2}=?\s*["'`]test\b|\btypeof\s+(?:it|describe|jest|vi|beforeEach|afterEach)\b|\b(?:globalThis|global|window|self)\s*(?:\?\.|\.|\[\s*["'`])(?:it|test|describe|expect|jest|vi|beforeEach|afterEach|beforeAll|afterAll)\b|\bimport\.meta\.vitest\b|\.(?:test|spec)\.[cm]?[jt]sx?\b|\b(?:beforeEach|afterEach|beforeAll|afterAll)\s*\(/g,
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
    ['hides-code', /(?<![.\w])eval\(|\bnew Function\(|\.constructor\(\s*["'`]/g],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\basymmetricMatch\b|\basymmetricMatcher\b|\bcustomEqualityTesters\b|\bjest-matchers-object\b|\bSymbol\.hasInstance\b|\b(?:equals?|isEqual)\s*\(${INSIDE}\)\s*\{\s*return\s+true;?\s*\}`,
        'g',
      ),
    ],
  ],
};
