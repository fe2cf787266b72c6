/** Go as a kind: commands for an instance's tests, files that decide them, canaries, and what the witness's records say. */
import { describe, expect, test } from 'vitest';
import { goEcosystem } from '../../ecosystems/go/kind.ts';
import { namedPackages, withCanaries } from '../../ecosystems/go/packages.ts';
import { goTests } from '../../ecosystems/go/tests.ts';
import type { EcosystemWitness } from '../../ecosystems/kind.ts';

const INSTANCE = {
  FAIL_TO_PASS: ['example.com/m/sub::TestOne/case_1', 'example.com/m::TestTwo'],
  PASS_TO_PASS: ['example.com/m/sub::TestOne'],
  test_patch: '',
};
const PATCH = [
  'diff --git a/sub/one_test.go b/sub/one_test.go',
  '--- a/sub/one_test.go',
  '+++ b/sub/one_test.go',
  '@@ -1 +1 @@',
  '-package sub',
  '+package sub // x',
  '',
].join('\n');
const NAMELESS = { FAIL_TO_PASS: ['TestOne'], PASS_TO_PASS: [], test_patch: PATCH };

describe('environments', () => {
  test('packages are fetched by the manifests of all modules', () => {
    const read = [
      'go.mod',
      'lib/go.mod',
      'lib/go.sum',
      'go.work',
      'go.work.sum',
      'a/testdata/go.mod',
      'vendor/b/go.mod',
      'a.go',
    ];
    expect(read.filter((path) => goEcosystem.build!.reads!(path))).toEqual(read.slice(0, 5));
  });

  test('in a workspace commands do not ask to change go.mod, which Go refuses there', () => {
    const flags = (files: string[]) =>
      goEcosystem.build!.variables({ go: '1.23.8' }, (path) => files.includes(path)).GOFLAGS;
    expect(flags(['go.mod'])).toMatch(/^-mod=mod /);
    expect(flags(['go.mod', 'go.work'])).not.toContain('-mod=');
    // The settings in lib/go.work are those of commands below it.
    expect(flags(['go.mod', 'lib/go.work'])).toMatch(/^-mod=mod /);
  });
});

describe('commands', () => {
  test('the listed tests and their packages complete a command without packages', () => {
    expect(goTests.command('go test -json -count=1', INSTANCE)).toBe(
      "go test -json -count=1 -run '^(TestOne|TestTwo)$' example.com/m example.com/m/sub",
    );
  });

  test('where no test is listed, all of the packages that the test patch names are run', () => {
    const unlisted = { ...NAMELESS, FAIL_TO_PASS: [] };
    expect(goTests.command('go test -json -count=1', unlisted)).toBe('go test -json -count=1 ./sub');
  });

  test('a command that names packages is run as it is', () => {
    const command = 'go test -v ./... -run "^Test.*Reader"';
    expect(goTests.command(command, INSTANCE)).toBe(command);
    expect(namedPackages(command)).toEqual(['./...']);
  });

  test('what is compiled are the packages of the ids, or else those of the test patch', () => {
    const build = (instance: typeof INSTANCE) => goTests.buildCommand({ test: 'go test -v .' }, instance);
    expect(build(INSTANCE)).toContain(' example.com/m example.com/m/sub');
    expect(build(NAMELESS)).toContain(' ./sub');
    // Without tests as well: code may use nothing that only tests declare.
    expect(build(INSTANCE)).toMatch(/^go list -export example.com\/m example.com\/m\/sub > \/dev\/null$/m);
  });

  test('canaries are chosen beside the tests that -run chooses', () => {
    expect(withCanaries('go test . -v -run "^TestTree"', '^C')).toBe("go test . -v -run '^TestTree|^C'");
    expect(withCanaries('cd x && go test -run=TestA ./y', '^C')).toBe("cd x && go test -run='TestA|^C' ./y");
    expect(withCanaries("go test -run '^(A|B)$' .", '^C')).toBe("go test -run '^(A|B)$|^C' .");
    expect(withCanaries('go test -run ^A$ .', '^C')).toBe("go test -run '^A$|^C' .");
    expect(withCanaries('go test ./...', '^C')).toBe('go test ./...');
    // The pattern of subtests would be that of the canaries, too.
    expect(withCanaries('go test -run TestA/b .', '^C')).toBe('go test -run TestA/b .');
    expect(withCanaries('go test -run "$TESTS" .', '^C')).toBe('go test -run "$TESTS" .');
  });
});

test('files that decide tests are told by their names', () => {
  const kinds = ['a/b_test.go', 'a/testdata/x.json', 'go.mod', 'go.work', 'vendor/m/a.go', 'a/b.go'].map(
    (path) => goTests.protects(path),
  );
  expect(kinds).toEqual(['test', 'support', 'runner', 'runner', 'runner', null]);
});

test('of a module file that the solution changes, what is required decides nothing', () => {
  const decides = (text: string) => goTests.deciding!('sub/go.mod', text);
  const plain = 'module m\n\ngo 1.22\n';
  const needs =
    'require (\n\ta.example/a v1.0.0 // indirect\n\tb.example/b v1.0.0\n)\nrequire c.example/c v1.0.0\n';
  expect(decides(`${plain}\n${needs}`)).toBe(decides(plain));
  expect(decides(`${plain}${needs}replace a.example/a => ./fake\n`)).not.toBe(decides(plain));
  expect(decides(`${plain}require (\n)\nreplace a.example/a => ./fake\n`)).not.toBe(decides(plain));
  expect(goTests.deciding!('go.sum', 'a')).toBe(goTests.deciding!('go.sum', 'b'));
  expect(goTests.deciding!('vendor/modules.txt', 'a')).toBeNull();
});

test('code that only tests can use is theirs, by the task’s own text', () => {
  const kindOf = (text: string | null) => goTests.protects('internal/check/check.go', () => text);
  expect(kindOf('package check\n\nimport "testing"\n')).toBe('support');
  expect(kindOf('package check\n\nimport (\n\t"fmt"\n\tt "testing"\n)\n')).toBe('support');
  expect(kindOf('package check\n\n// It is used in "testing".\n')).toBeNull();
  expect(kindOf(null)).toBeNull();
});

test('a failed build is told by the lines of the compiler', () => {
  const output = [
    '# example.com/m [example.com/m.test]',
    './m.go:3:5: undefined: nothing',
    'FAIL\texample.com/m [build failed]',
    'FAIL',
  ].join('\n');
  expect(goTests.complaint(output)).toBe('./m.go:3:5: undefined: nothing');
});

describe('the witness', () => {
  const NONCE = '0123456789abcdef'.repeat(4);
  const SECRET = NONCE.slice(16);
  const FILES: Record<string, string> = {
    '/testbed/sub/one_test.go': '// text\npackage sub\n',
    '/testbed/go.mod': 'module example.com/m\n',
  };

  async function witness(): Promise<EcosystemWitness> {
    return goTests.witness({
      folder: '/tmp/w',
      nonce: NONCE,
      command: 'go test -v ./sub',
      testFiles: ['sub/one_test.go'],
      instance: NAMELESS,
      toolchain: {},
      read: async (path) => FILES[path] ?? null,
    });
  }

  const CANARY = 'TestSwemake0123456789abcdef';
  const line = (kind: string, name: string, secret = SECRET) => `${secret} ${kind} ${JSON.stringify(name)}\n`;
  const SOUND = [
    line('begin', 'example.com/m/sub'),
    line('PASSED', 'TestOne'),
    line('PASSED', `${CANARY}Passes`),
    line('FAILED', `${CANARY}Fails`),
    ...['Fail', 'FailNow', 'Error', 'Errorf', 'Fatal', 'Fatalf'].map((way) =>
      line('FAILED', `${CANARY}Fails/${way}`),
    ),
    line('end', ''),
  ];

  test('canaries stand beside the tests, in their package', async () => {
    const { files } = await witness();
    const path = '/testbed/sub/swemake_0123456789abcdef_test.go';
    expect(files[path]).toMatch(/^package sub\n/);
    expect(files[path]).toContain(`func ${CANARY}Fails(t *testing.T) {`);
    expect(files[path]).toContain('t.Run("Fatalf", func(t *testing.T) { t.Fatalf("must %s", "fail") })');
  });

  test('what tests came to is known with and without their package', async () => {
    const seen = (await witness()).seen([SOUND.join('')]);
    expect(seen).toMatchObject({ state: 'closed', canaries: null });
    expect([...seen.statuses]).toEqual([
      ['example.com/m/sub::TestOne', 'PASSED'],
      ['TestOne', 'PASSED'],
    ]);
    expect(seen.isCanary(`example.com/m/sub::${CANARY}Fails/Fatal`)).toBe(true);
  });

  test('a record with what is no character is read, since the code under test can write one', async () => {
    const record = [...SOUND.slice(0, -1), `${SECRET} PASSED "T\\Uffffffff"\n`, ...SOUND.slice(-1)].join('');
    expect((await witness()).seen([record]).statuses.get('T\ufffd')).toBe('PASSED');
  });

  test.each([
    ['no process', [], 'absent', null],
    ['no end', [SOUND.slice(0, -1).join('')], 'open', null],
    ['the secret of another run', [line('begin', 'example.com/m/sub', 'f'.repeat(48))], 'broken', null],
    [
      'a canary that must fail and passed',
      [SOUND.join('').replace('FAILED', 'PASSED')],
      'closed',
      'in example.com/m/sub',
    ],
    [
      'a way to fail that does nothing',
      [SOUND.join('').replace(/FAILED (?=.*Fatal")/, 'PASSED ')],
      'closed',
      'in example.com/m/sub',
    ],
    [
      'no canary',
      [SOUND.filter((one) => !one.includes('Swemake')).join('')],
      'closed',
      'in example.com/m/sub',
    ],
  ])('%s', async (_, records, state, canaries) => {
    expect((await witness()).seen(records)).toMatchObject({ state, canaries });
  });
});

test('rows made here list no examples and no fuzz tests, which the witness does not see', () => {
  const isUnseen = (id: string) => goTests.unseen!.test(id);
  expect(['m/sub::ExampleToInt', 'm::FuzzParse', 'Example'].filter(isUnseen)).toHaveLength(3);
  const seen = ['m::TestExample', 'm::TestFuzz/Example', 'm::FuzzParse/seed#0', 'm/Example::TestOne'];
  expect(seen.filter(isUnseen)).toEqual([]);
});
