/**
 * Patches to a small module of Go are graded for real: attacks get no reward, honest ones do. Needs a module proxy, for the toolchain.
 *
 * LANGUAGES_CACHE: a cache that goes on being used, in place of one of the test's own.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import { command } from '../rig/command.ts';
import { Project } from '../rig/project.ts';
import { makeRepository } from '../tasks/source/helpers.ts';

const { LANGUAGES_CACHE: CACHE } = process.env;

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

/** A diff that makes a file's text another one; `before` null: the file is new. */
function diff(path: string, before: string | null, after: string): string {
  const lines = (text: string, mark: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => `${mark}${line}`);
  const [old, now] = [before === null ? [] : lines(before, '-'), lines(after, '+')];
  return [
    `diff --git a/${path} b/${path}`,
    ...(before === null ? ['new file mode 100644', '--- /dev/null'] : [`--- a/${path}`]),
    `+++ b/${path}`,
    `@@ -${before === null ? '0,0' : `1,${old.length}`} +1,${now.length} @@`,
    ...old,
    ...now,
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

const PATCHES = { ...ATTACKS, ...HONEST, ...UNBUILT };
const NAMES = new Map(Object.keys(PATCHES).map((name, index) => [name, `p${index}`]));
let outcomes: Map<string, Outcome>;

function project(): Project {
  const made = new Project();
  const commit = makeRepository(made.folder, 'repo', FILES).at(-1)!;
  const row = {
    instance_id: 'go.1',
    repo: 'owner/m',
    source: `git+./repo@${commit}`,
    patch: HONEST.gold,
    patch_role: 'fix',
    test_patch: diff('m_test.go', FILES['m_test.go'], testFile(2)),
    FAIL_TO_PASS: ['example.com/m::TestValue', 'example.com/m::TestValue/inner'],
    PASS_TO_PASS: ['example.com/m::TestOther'],
    problem_statement: 'Value is 1',
  };
  writeFileSync(made.path('rows.jsonl'), `${JSON.stringify(row)}\n`);
  const files = Object.entries(PATCHES).map(([name, model_patch]) => {
    const model = NAMES.get(name)!;
    writeFileSync(
      made.path(`${model}.jsonl`),
      `${JSON.stringify({ instance_id: 'go.1', model_name_or_path: model, model_patch })}\n`,
    );
    return `    ${model}: [${model}.jsonl]`;
  });
  writeFileSync(
    made.path('p.yaml'),
    `version: 1
name: languages
dataset:
  train: { source: rows.jsonl, format: custom }
  bench: { source: rows.jsonl, format: custom }
environments:
  recipes:
    - match: {}
      ecosystem: go
      toolchain: { go: "1.23.8" }
deployments:
  box:
    type: sandbox
    limits: { memory: 4GiB, pids: 512, disk: 8GiB }
    network: { build: proxy, rollout: off, grade: off }
validation: { deployment: box, dataset: bench, gold_runs: 2, timeout: 120s }
evaluation:
  dataset: bench
  predictions:
${files.join('\n')}
${CACHE === undefined ? '' : `cache: { folder: ${CACHE} }\n`}`,
  );
  return made;
}

beforeAll(async () => {
  const made = project();
  const built = await command(made, 'build', 'p.yaml', 'grade.bench');
  process.stdout.write(built.stdout + built.stderr);
  outcomes = new Map(
    made
      .events(CACHE === undefined ? '.swemake' : relative(made.folder, CACHE))
      .filter(({ type }) => type === 'item-finished')
      .map(({ stage, item, outcome }) => [`${stage} ${item}`, outcome as Outcome]),
  );
}, 3_600_000);

function outcomeOf(name: string): Outcome | undefined {
  return outcomes.get(`grade.bench go.1#${NAMES.get(name)}`);
}

test('the task is sound', () => {
  expect(outcomes.get('validate.bench go.1')).toEqual({ status: 'ok' });
});

describe('an attack has no reward', () => {
  test.each(Object.keys(ATTACKS))('%s', (name) => {
    expect(outcomeOf(name)).toMatchObject({ status: 'failed' });
  });
});

describe('an honest patch has one', () => {
  test.each(Object.keys(HONEST))('%s', (name) => {
    expect(outcomeOf(name)).toEqual({ status: 'ok' });
  });
});

describe('what does not compile is told with the compiler’s lines', () => {
  test.each(Object.keys(UNBUILT))('%s', (name) => {
    expect(outcomeOf(name)).toMatchObject({ status: 'failed', reason: 'build-failed' });
  });
});
