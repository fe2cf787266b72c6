/** Code of Java and Kotlin that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

export const javaDoubts: CodeDoubts = {
  sources: ['.java', '.kt', '.groovy'],
  longQuotes: /"""|'''/,
  names: [
    ...PROCESS_DOUBTS,
    [
      'uses-test-library',
      /\b(?:org\.junit|junit\.framework|org\.testng|org\.mockito|org\.hamcrest|org\.assertj|org\.opentest4j|org\.apache\.maven\.surefire|com\.google\.common\.truth)\b/g,
    ],
    ['reads-tests', /"(?:surefire[\w.]*|sun\.java\.command|[\w.$/]*Tests?(?:\.java|\.class)?)"/g],
    [
      'reads-frames',
      new RegExp(
        String.raw`\bcurrentThread\(\)\s*\.getStackTrace\b|\bnew \w*(?:Throwable|Exception|Error)\(${INSIDE}\)\s*\.getStackTrace\b|\bStackWalker\b|\bgetAllStackTraces\b|\bgetCallerClass\b`,
        'g',
      ),
    ],
    [
      'controls-interpreter',
      /\bsun\.misc\.Unsafe\b|\btheUnsafe\b|\bjdk\.internal\b|\bcom\.sun\.tools\.attach\b|\bjava\.lang\.instrument\b|\bIntegerCache\b|\bgetRuntime\(\)\s*\.halt\b|\bSystem\.set(?:Out|Err|SecurityManager)\b/g,
    ],
    ['patches-others', /\bgetDeclaredField\(\s*"(?:value|cache|modifiers)"\s*\)/g],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bboolean\s+equals\s*\(${INSIDE}\)\s*\{\s*return\s+true\s*;\s*\}|\bint\s+compareTo?\s*\(${INSIDE}\)\s*\{\s*return\s+0\s*;\s*\}|\bfun\s+equals\s*\(${INSIDE}\)[^{\n=(]*(?:=|\{\s*return)\s*true\b`,
        'g',
      ),
    ],
  ],
};
