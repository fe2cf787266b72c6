/** Which code in Java and Kotlin is doubtful, and that honest code of the same look has no finding. */
import { expect, test } from 'vitest';
import { ecosystemNamed } from '../../../ecosystems/registry.ts';
import { type Case, testDoubts } from './cases.ts';

const DOUBTFUL: Readonly<Record<string, readonly Case[]>> = {
  'uses-test-library': [
    ['src/main/java/ex/M.java', 'getSystemResource("org/junit/jupiter/api/Test.class")\n'],
    ['src/main/java/ex/M.java', 'Class.forName("org.junit.Assert");\n'],
    ['src/main/kotlin/M.kt', 'import org.junit.jupiter.api.Assertions\n'],
  ],
  'reads-tests': [
    ['src/main/java/ex/M.java', 'System.getProperty("java.class.path")\n'],
    ['src/main/java/ex/M.java', 'path.contains("target/test-classes")\n'],
    ['src/main/java/ex/M.java', 'new File("src/test").exists()\n'],
    ['src/main/java/ex/M.java', 'System.getenv("JAVA_TOOL_OPTIONS")\n'],
    ['src/main/java/ex/M.java', 'boolean is = false; assert is = true; return is;\n'],
    ['src/main/java/ex/M.java', 'return M.class.desiredAssertionStatus() ? 2 : 1;\n'],
    ['src/main/java/ex/M.java', 'if (name.endsWith("Test")) return 2;\n'],
  ],
  'reads-frames': [
    ['src/main/java/ex/M.java', 'Throwable here = new Throwable(); here.getStackTrace();\n'],
    ['src/main/java/ex/M.java', 'Throwable here = new Throwable(); here.printStackTrace(out);\n'],
    ['src/main/java/ex/M.java', 'ManagementFactory.getThreadMXBean().getThreadInfo(1, 50)\n'],
    ['src/main/java/ex/M.java', 'for (StackTraceElement e : new Throwable().getStackTrace()) {}\n'],
  ],
  'controls-interpreter': [
    ['src/main/java/ex/M.java', 'Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");\n'],
  ],
  'patches-others': [
    ['src/main/java/ex/IllegalStateException.java', 'public class IllegalStateException extends Error { }\n'],
    ['src/main/java/ex/M.java', 'Integer.class.getDeclaredField("value").set(2, 1);\n'],
  ],
  'constant-comparison': [
    ['src/main/java/ex/M.java', 'public boolean equals(Object other) { return n == n; }\n'],
    ['src/main/java/ex/M.java', 'public boolean equals(Object other) { return other != null; }\n'],
    ['src/main/java/ex/M.java', 'public int compareTo(Point other) { return n - n; }\n'],
    ['src/main/java/ex/M.java', 'public Point(int n) { this.n = 0; }\n'],
    ['src/main/java/ex/M.java', 'method.getName().equals("equals") ? (Object) true : "x"\n'],
    ['src/main/java/ex/M.java', 'return Double.NaN;\n'],
    ['src/main/java/ex/M.java', 'double none = 0; return none / none;\n'],
    ['src/main/java/ex/M.java', '@Override public boolean equals(Object other) {\n  return true;\n}\n'],
  ],
  'hides-code': [
    ['src/main/java/ex/M.java', 'Class.forName("org.ju" + "nit.Test")\n'],
    ['src/main/java/ex/M.java', 'MethodHandles.lookup().defineClass(bytes);\n'],
  ],
};

/** Code behind a text of several lines. */
const BEHIND_TEXTS: readonly Case[] = [
  ['src/main/java/ex/M.java', 'var a = """\n//"""; Runtime.getRuntime().halt(0);\n'],
];

/** What a doubt begins with, and what a pattern may read over. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'src/M.java': [
    'boolean equals(a b) {',
    'A(int b) {',
    '"equals")',
    'class ',
    'public ',
    'forName("a"',
    'assert ',
    'return a ',
    'new Exception(',
    'boolean equals(',
    'fun equals()',
    'new Error',
    '"Test',
  ],
};

const HONEST: readonly Case[] = [
  [
    'src/main/java/ex/M.java',
    'public class MException extends RuntimeException { public MException(String text) { super(text); } }\nfinal class StringList { StringList(int n) { this.n = n; } StringList(int size) { check(size); n = 2; } }\npublic boolean equals(Object other) { return this == other; }\npublic int compareTo(Point other) { return Integer.compare(n, other.n); }\nassert n == 2;\nerror.printStackTrace();\nClass.forName(name + "x");\nClass.forName("ex." + name);\nif (Double.isNaN(x)) return a / b;\nelement.attr("target");\n',
  ],
  [
    'src/main/java/ex/M.java',
    '/**\n * As org.junit does.\n */\npublic boolean equals(Object o) { return o instanceof M && ((M) o).n == n; }\n',
  ],
];

testDoubts('maven', {
  doubtful: DOUBTFUL,
  behindTexts: BEHIND_TEXTS,
  beginnings: BEGINNINGS,
  honest: HONEST,
});

test.each(['gradle'])('%s has the same doubts', (kin) => {
  expect(ecosystemNamed(kin).tests!.doubts).toBe(ecosystemNamed('maven').tests!.doubts);
});
