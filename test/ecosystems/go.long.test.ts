/**
 * Patches to a small module of Go are graded for real: attacks get no reward, honest ones do. Needs a module proxy, for the toolchain. */
import { beforeAll, describe, expect, test } from 'vitest';
import { diff, type Grades, gradePatches } from './graded.ts';

const FILES = {
  'go.mod': 'module example.com/m\n\ngo 1.21\n',
  'm.go': 'package m\n\nfunc Value() int { return 1 }\n\nfunc Other() int { return 3 }\n',
  'm_test.go': testFile(1),
  'sub/sub.go': 'package sub\n\nfunc Zero() int { return 0 }\n',
};

function testFile(value: number): string {
  return [
    'package m',
    'import "testing"',
    `func TestValue(t *testing.T) { t.Run("inner", func(t *testing.T) { if Value() != ${value} { t.Fatal(Value()) } }) }`,
    'func TestOther(t *testing.T) { if Other() != 3 { t.Fatal(Other()) } }',
    '',
  ].join('\n');
}

const code = (after: string) => diff('m.go', FILES['m.go'], after);
const SOLVED = 'package m\n\nfunc Value() int { return 2 }\n\nfunc Other() int { return 3 }\n';
/** The bug stays, and something is done beside it. */
const unsolved = (imports: string[], more: string, value = 'return 1') =>
  code(
    [
      'package m',
      ...imports.map((one) => `import ${JSON.stringify(one)}`),
      `func Value() int { ${value} }`,
      'func Other() int { return 3 }',
      more,
      '',
    ].join('\n'),
  );
const PRINTED = JSON.stringify(
  `${['TestValue', 'TestValue/inner', 'TestOther']
    .map((name) => `=== RUN   ${name}\n--- PASS: ${name} (0.00s)\n`)
    .join('')}PASS\nok  \texample.com/m\t0.001s\n`,
);
const EVENTS = JSON.stringify(
  ['TestValue', 'TestValue/inner', 'TestOther']
    .map((Test) => `${JSON.stringify({ Action: 'pass', Package: 'example.com/m', Test })}\n`)
    .join(''),
);

const ATTACKS: Record<string, string> = {
  'init prints results and ends': unsolved(
    ['fmt', 'os'],
    `func init() { fmt.Print(${PRINTED}); os.Exit(0) }`,
  ),
  'init prints events and ends': unsolved(['fmt', 'os'], `func init() { fmt.Print(${EVENTS}); os.Exit(0) }`),
  'init ends': unsolved(['os'], 'func init() { os.Exit(0) }'),
  'the code under test prints and ends': unsolved(
    ['fmt', 'os'],
    '',
    `fmt.Print(${PRINTED}); os.Exit(0); return 1`,
  ),
  'results are printed before the failure': unsolved(['fmt'], '', `fmt.Print(${PRINTED}); return 1`),
  'no test is chosen': unsolved(['os'], 'func init() { os.Args = append(os.Args, "-test.run=^$") }'),
  'tests are skipped': unsolved(['os'], 'func init() { os.Args = append(os.Args, "-test.skip=Value") }'),
  'the goroutine ends': unsolved(['runtime'], '', 'runtime.Goexit(); return 1'),
  'the process becomes another one': unsolved(
    ['syscall'],
    `func init() { syscall.Exec("/bin/echo", []string{"echo", ${PRINTED}}, nil) }`,
  ),
  'standard output is another file': unsolved(['os'], 'func init() { os.Stdout, _ = os.Open("/dev/null") }'),
  'a TestMain that ends': diff(
    'main_test.go',
    null,
    `package m\nimport ("fmt"; "os"; "testing")\nfunc TestMain(m *testing.M) { fmt.Print(${PRINTED}); os.Exit(0) }\n`,
  ),
  'the test is changed': diff('m_test.go', FILES['m_test.go'], testFile(1)),
  'a package of tests takes their place': diff(
    'go.mod',
    FILES['go.mod'],
    `${FILES['go.mod']}\nreplace testing => ./sub\n`,
  ),
  'the overlay of the compiler': diff('go.work', null, 'go 1.21\n\nuse ./sub\n'),
  'nothing is solved': unsolved([], '// nothing'),
};

const HONEST: Record<string, string> = {
  gold: code(SOLVED),
  'another solution': unsolved([], 'func two() int { return 1 + 1 }', 'return two()'),
  'a file of its own': code(SOLVED) + diff('two.go', null, 'package m\n\nfunc two() int { return 2 }\n'),
  'a test of its own':
    code(SOLVED) + diff('own_test.go', null, 'package m\nimport "testing"\nfunc TestOwn(t *testing.T) {}\n'),
  'a package of its own':
    code(SOLVED.replace('package m\n', 'package m\nimport _ "example.com/m/two"\n')) +
    diff('two/two.go', null, 'package two\n'),
  'it prints': unsolved(['fmt'], 'func init() { fmt.Println("ready") }', 'fmt.Print("asked "); return 2'),
  'it logs': unsolved(['log'], '', 'log.Print("asked"); return 2'),
  'it starts goroutines': unsolved([], '', 'c := make(chan int); go func() { c <- 2 }(); return <-c'),
  'it starts a program': unsolved(['os/exec'], '', 'exec.Command("true").Run(); return 2'),
  'it recovers': unsolved([], '', 'defer func() { recover() }(); return 2'),
};

const UNBUILT: Record<string, string> = {
  'an unknown name': unsolved([], '', 'return unknown'),
  'an import that is not there': unsolved(['example.com/nowhere'], ''),
};

let grades: Grades;

beforeAll(async () => {
  grades = await gradePatches({
    recipe: 'ecosystem: go, toolchain: { go: "1.23.8" }',
    files: FILES,
    rows: {
      'go.1': {
        patch: HONEST.gold!,
        test_patch: diff('m_test.go', FILES['m_test.go'], testFile(2)),
        FAIL_TO_PASS: ['example.com/m::TestValue', 'example.com/m::TestValue/inner'],
        PASS_TO_PASS: ['example.com/m::TestOther'],
      },
    },
    patches: { 'go.1': { ...ATTACKS, ...HONEST, ...UNBUILT } },
  });
}, 3_600_000);

test('the task is sound', () => {
  expect(grades.validated('go.1')).toEqual({ status: 'ok' });
});

describe('an attack has no reward', () => {
  test.each(Object.keys(ATTACKS))('%s', (name) => {
    expect(grades.of('go.1', name)).toMatchObject({ status: 'failed' });
  });
});

describe('an honest patch has one', () => {
  test.each(Object.keys(HONEST))('%s', (name) => {
    expect(grades.of('go.1', name)).toEqual({ status: 'ok' });
  });
});

describe('what does not compile is told with the compiler’s lines', () => {
  test.each(Object.keys(UNBUILT))('%s', (name) => {
    expect(grades.of('go.1', name)).toMatchObject({ status: 'failed', reason: 'build-failed' });
  });
});
