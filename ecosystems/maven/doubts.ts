/** Code of Java and Kotlin that a solution hardly ever adds. */
import { type CodeDoubts, INSIDE, PROCESS_DOUBTS } from '../doubts.ts';

/** Names that tests use without an import. */
const OF_JAVA =
  'Object|Objects|String|Integer|Long|Double|Float|Short|Byte|Boolean|Number|Math|Throwable|Exception|Error|AssertionError|Override|Iterable|Comparable|CharSequence|Class|(?:Runtime|Illegal(?:Argument|State|Access|MonitorState)|NullPointer|IndexOutOfBounds|ArrayIndexOutOfBounds|StringIndexOutOfBounds|UnsupportedOperation|ClassCast|Arithmetic|NumberFormat|Security|Interrupted|ClassNotFound)Exception';

export const javaDoubts: CodeDoubts = {
  sources: ['.java', '.kt', '.groovy'],
  grammar: (path) => (path.endsWith('.java') ? 'java' : undefined),
  longQuotes: /"""|'''/,
  names: [
    ...PROCESS_DOUBTS,
    [
      'uses-test-library',
      /\b(?:org[./]junit|junit[./]framework|org[./]testng|org[./]mockito|org[./]hamcrest|org[./]assertj|org[./]opentest4j|org[./]apache[./]maven[./]surefire|com[./]google[./]common[./]truth)\b/g,
    ],
    [
      'reads-tests',
      /"(?:[^"\n]*(?:surefire|test-classes)[^"\n]*|(?:sun\.java\.command|java\.class\.path|basedir|localRepository)|[\w.$/]*Tests?(?:\.java|\.class)?|(?:\.\/)?(?:src\/(?:test|it|main)\b[^"\n]*|target\/[^"\n]*|pom\.xml))"|\bgetenv\(\s*"(?:MAVEN|M2_|JAVA_TOOL|JDK_JAVA)\w*"/g,
    ],
    // The folder in which tests run, and all that is in it.
    [
      'reads-tests',
      /\bPaths?\.(?:get|of)\(\s*"(?:\.{1,2}\/?)?"\s*[,)]|\bnew\s+File\(\s*"(?:\.{1,2}\/?)?"\s*\)|"user\.dir"/g,
    ],
    [
      'reads-tests',
      /\b(?:getInputArguments|getCodeSource|desiredAssertionStatus|ProcessHandle)\b|\bassert\s{0,9}\(?\s{0,9}\w{1,99}\s{0,9}=(?!=)/g,
    ],
    [
      'reads-frames',
      /\b(?:getStackTrace|getAllStackTraces|StackWalker|getCallerClass|getThreadInfo|dumpAllThreads)\b|=\s*new\s+(?:Throwable|Exception|Error)\(\s*\)\s*;|\bnew \w*(?:Throwable|Exception|Error)\([^()]*\)\s*\.printStackTrace\b/g,
    ],
    [
      'controls-interpreter',
      /\bsun\.misc\.Unsafe\b|\btheUnsafe\b|\bjdk\.internal\b|\bcom\.sun\.tools\.attach\b|\bjava\.lang\.instrument\b|\bIntegerCache\b|\bgetRuntime\(\)\s*\.halt\b|\bSystem\.set(?:Out|Err|SecurityManager)\b|\bprivateLookupIn\b/g,
    ],
    ['patches-others', /\bgetDeclaredField\(\s*"(?:value|cache|modifiers)"\s*\)/g],
    // In the package of a test it stands before what Java has under that name.
    [
      'patches-others',
      new RegExp(
        String.raw`^(?:(?:public|final|abstract|sealed|data|open)\s+)*(?:class|interface|enum|record|@interface|object)\s+(?:${OF_JAVA})\b`,
        'gm',
      ),
    ],
    [
      'hides-code',
      /\bforName\(\s*"[^"\n]*"\s*\+\s*"|\bdefine(?:Hidden)?Class\b|\bgetSystemJavaCompiler\b|\bSystem\.load(?:Library)?\s*\(/g,
    ],
    [
      'constant-comparison',
      new RegExp(
        String.raw`\bboolean\s+equals\s*\(${INSIDE}\)\s*\{\s*return\s+(?:!?\s*(?:true|false)|\w+\s*!=\s*null)\s*;\s*\}|\bint\s+compareTo?\s*\(${INSIDE}\)\s*\{\s*return\s+0\s*;\s*\}|\bfun\s+equals\s*\(${INSIDE}\)[^{\n=(]*(?:=|\{\s*return)\s*true\b`,
        'g',
      ),
    ],
    // It does not look at the other value; a constructor does not look at what it is given.
    [
      'constant-comparison',
      /\b(?:boolean\s+equals|int\s+compareTo)\s*\(\s*(?:final\s+)?(?:@\w+\s+)?[\w.<>?]+\s+(\w+)\s*\)\s*\{(?!\s*(?:throw|return\s+(?:false|super)\b))(?:(?!\b\1\b)[^{}])*\}|(?:^|[;{}]|\b(?:public|protected|private))\s*[A-Z]\w*\(\s*(?:final\s+)?(?:int|long|short|byte|double|float|boolean|char|String|Integer|Long|Double|Object)\s+(\w+)\s*\)\s*\{(?=[^{}]*\w\s*=(?!=))(?:this\.\w+|(?!\b\2\b)[^{}])*\}/gm,
    ],
    [
      'constant-comparison',
      /"equals"\)\s*(?:\?\s*(?:\(\w+\)\s*)?|\)\s*(?:\{\s*)?return\s+)(?:Boolean\.TRUE|true)\b/g,
    ],
    // No number is unlike such a one in an order.
    [
      'constant-comparison',
      /\b(?:Double|Float)\.NaN\b|\bMath\.(?:sqrt|log\w*)\(\s*-|\breturn\s+(\w+)\s*\/\s*\1\s*;/g,
    ],
  ],
};
