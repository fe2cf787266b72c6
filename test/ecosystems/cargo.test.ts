/** Rust as a kind: commands for an instance's tests, files that decide them, steps of a build, and what the witness's records say. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOpenCommand, withoutRun } from '../../ecosystems/cargo/commands.ts';
import { SOURCES, withoutProject } from '../../ecosystems/cargo/dependencies.ts';
import { cargoEcosystem } from '../../ecosystems/cargo/kind.ts';
import { cargoTests } from '../../ecosystems/cargo/tests.ts';
import { toolchainPlace } from '../../ecosystems/kind.ts';
import type { BuildRecipe } from '../../schemas/recipe.ts';
import { temporaryFolder } from '../rig/folder.ts';

const { steps, variables, reads } = cargoEcosystem.build!;
const INSTANCE = {
  FAIL_TO_PASS: ['api::tests/api::works', 'm::lib::deep::tests::zero'],
  PASS_TO_PASS: ['tool::bin/tool::parses', 'm::main::starts'],
  test_patch: '',
};

describe('commands', () => {
  test('the listed tests complete a command that chooses nothing', () => {
    expect(cargoTests.command('cargo test --workspace', INSTANCE)).toBe(
      'cargo test --workspace --bin m --bin tool --lib --test api -- --exact deep::tests::zero parses starts works',
    );
  });

  test.each([
    ['cargo test', true],
    ['RUSTFLAGS=-Awarnings cargo test --workspace --no-fail-fast', true],
    ['cargo test --lib', false],
    ['cargo test --test=api', false],
    ['cargo test -p m', false],
    ['cargo test backslash', false],
    ['cargo test -- backslash', false],
    ['cargo build', false],
  ])('%s: %s', (line, isOpen) => {
    expect(isOpenCommand(line)).toBe(isOpen);
    if (!isOpen) expect(cargoTests.command(line, INSTANCE)).toBe(line);
  });

  test('ids without binaries complete nothing', () => {
    const nameless = { FAIL_TO_PASS: ['deep::works'], PASS_TO_PASS: [], test_patch: '' };
    expect(cargoTests.command('cargo test', nameless)).toBe('cargo test');
  });

  test('what is compiled are the binaries of the tests', () => {
    expect(withoutRun('RUSTFLAGS=-Awarnings cargo test --package m --lib -- a b')).toBe(
      'RUSTFLAGS=-Awarnings cargo test --no-run --package m --lib',
    );
    expect(withoutRun('cd x && cargo test slash --no-fail-fast')).toBe(
      'cd x && cargo test --no-run slash --no-fail-fast',
    );
    expect(withoutRun('make test')).toBeNull();
  });
});

test.each([
  ['tests/api.rs', 'test'],
  ['m/tests/all/deep.rs', 'test'],
  ['src/routing/tests/fallback.rs', 'test'],
  ['src/tests.rs', 'test'],
  ['src/test_helpers/mod.rs', 'test'],
  ['src/snapshots/a.snap', 'support'],
  ['Cargo.toml', 'runner'],
  ['m/Cargo.toml', 'runner'],
  ['Cargo.lock', 'runner'],
  ['m/build.rs', 'runner'],
  ['.cargo/config.toml', 'runner'],
  ['rust-toolchain.toml', 'runner'],
  ['insta.yaml', 'runner'],
  ['.insta.yml', 'runner'],
  ['.config/insta.yaml', 'runner'],
  ['src/insta.rs', null],
  ['src/lib.rs', null],
  ['src/latest.rs', null],
])('%s is %s', (path, kind) => {
  expect(cargoTests.protects(path)).toBe(kind);
});

test('a failed build is told by the errors of the compiler with their places', () => {
  const output = [
    '   Compiling m v0.1.0 (/testbed)',
    'error[E0425]: cannot find function `nothing` in this scope',
    '  --> src/lib.rs:3:5',
    '   |',
    'error: could not compile `m` (lib) due to 1 previous error',
  ].join('\n');
  expect(cargoTests.complaint(output)).toBe(
    'src/lib.rs:3:5: error[E0425]: cannot find function `nothing` in this scope',
  );
});

test('steps of a build: crates, and what is compiled of them, depend on manifests alone', () => {
  const recipe = {
    packages: ['Cargo.toml'],
    pre_install: ['a'],
    install: ['cargo test --test api --no-run'],
  };
  const made = steps({ ...recipe, toolchain: { rust: '1.95.0' } } as unknown as BuildRecipe);
  expect(made.map(({ name, phase }) => `${phase} ${name}`)).toEqual([
    'create create[0]',
    'dependencies packages[0]',
    'dependencies install[0]',
    'installation pre_install[0]',
    'installation install[0]',
  ]);
  expect(made[2]!.command).toContain('tests/api.rs');
  const paths = ['Cargo.toml', 'm/Cargo.toml', 'm/build.rs', '.cargo/config.toml', 'src/lib.rs'];
  expect(paths.map((path) => reads!(path))).toEqual([true, true, true, true, false]);
});

test.each([
  ['m', ['src/lib.rs', 'src/main.rs']],
  ['examples', ['src/lib.rs']],
])('files that stand in for the package %s', (name, files) => {
  const manifest = `[package]\nname = "${name}"\n\n[[test]]\nname = "api"\n\n[dependencies]\nbytes = "1"\n`;
  const listed = execFileSync('awk', [SOURCES], { input: manifest, encoding: 'utf8' });
  expect(listed.trim().split('\n')).toEqual([...files, 'tests/api.rs']);
});

test('what cargo notes in any order has one form', () => {
  const paths = ['debug/build/a/out/op.rs', 'debug/build/a/out/consts.rs'];
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    return bytes;
  };
  const noted = (files: string[]) =>
    Buffer.concat([
      ...[Buffer.from([1, 0, 0, 0, 0xff, 1]), number(files.length)],
      ...files.flatMap((path) => [
        Buffer.from([1]),
        number(path.length),
        Buffer.from(path),
        Buffer.from([0]),
      ]),
      number(0),
    ]);
  const printed = (lines: string[]) => `cargo:rerun-if-changed=a\n${lines.join('')}cargo:rustc-link-lib=a\n`;
  const tidied = (files: string[], lines: string[]) => {
    const target = temporaryFolder();
    const [dep, output] = ['debug/.fingerprint/a-0/dep-lib-a', 'debug/build/a-0/output'].map((path) =>
      join(target, path),
    );
    for (const path of [dep!, output!]) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(dep!, noted(files));
    writeFileSync(output!, printed(lines));
    for (const path of [dep!, output!]) utimesSync(path, 1000, 1000);
    execFileSync('bash', ['-c', withoutProject(target)]);
    expect([statSync(dep!).mtimeMs, statSync(output!).mtimeMs]).toEqual([1_000_000, 1_000_000]);
    return [readFileSync(dep!), readFileSync(output!, 'utf8')];
  };
  const [dep, output] = tidied(paths, ['exit status: 0\n', 'running\n', 'cargo:warning=b\n']);
  expect([dep, output]).toEqual([noted(paths), printed([])]);
  expect(tidied(paths.toReversed(), ['cargo::warning=c\n', 'exit status: 0\n'])).toEqual([dep, output]);
  // What has another form stays.
  const target = temporaryFolder();
  mkdirSync(join(target, 'debug/.fingerprint/a'), { recursive: true });
  const odd = join(target, 'debug/.fingerprint/a/dep-lib-a');
  writeFileSync(odd, noted(paths).subarray(0, 40));
  execFileSync('bash', ['-c', withoutProject(target)]);
  expect(readFileSync(odd)).toEqual(noted(paths).subarray(0, 40));
});

test('tests find the toolchain, and no registry', () => {
  expect(variables({ rust: '1.95.0' })).toMatchObject({
    PATH: expect.stringMatching(/^\/opt\/toolchains\/rust\/1\.95\.0\/bin:/),
    CARGO_NET_OFFLINE: 'true',
  });
  expect(toolchainPlace('rust', '/opt/rust-1.81/')).toBe('/opt/toolchains/rust/rust-1.81');
});

describe('what records say', () => {
  const NONCE = 'ab'.repeat(32);
  const line = (kind: string, text = '', secret = NONCE) => `${secret} ${kind} "${text}"\n`;
  const HASH = '0123456789abcdef';
  const SOUND = [
    line('begin', `api-${HASH} tests/api.rs`),
    line('sound'),
    line('PASSED', 'works'),
    line('SKIPPED', 'slow'),
    line('end'),
  ];
  const seen = async (records: string[]) =>
    (
      await cargoTests.witness({
        ...{ folder: '/tmp/w', nonce: NONCE, command: 'cargo test', testFiles: [], toolchain: {} },
        instance: INSTANCE,
        read: async () => null,
      })
    ).seen(records);

  test('what tests came to is known with and without their binary', async () => {
    const found = await seen([SOUND.join('')]);
    expect(found).toMatchObject({ state: 'closed', canaries: null });
    expect([...found.statuses]).toEqual([
      ['api::tests/api::works', 'PASSED'],
      ['works', 'PASSED'],
      ['api::tests/api::slow', 'SKIPPED'],
      ['slow', 'SKIPPED'],
    ]);
  });

  test('equal names of binaries are numbered as in logs', async () => {
    const other = SOUND.join('').replace(HASH, 'f'.repeat(16)).replace('PASSED', 'FAILED');
    const { statuses } = await seen([SOUND.join(''), other]);
    expect(statuses.get('api::tests/api::works')).toBe('PASSED');
    expect(statuses.get('api::tests/api#2::works')).toBe('FAILED');
    expect(statuses.get('works')).toBe('FAILED');
  });

  test('macros that code defines anew are told', async () => {
    const found = await seen([line('modified', './src/lib.rs:macro_rules! assert_eq'), SOUND.join('')]);
    expect(found).toMatchObject({ state: 'closed', modified: ['./src/lib.rs:macro_rules! assert_eq'] });
  });

  test.each([
    ['no record', [], 'absent', null],
    ['only what was told before the tests', [line('modified', 'x')], 'absent', null],
    ['no end', [SOUND.slice(0, -1).join('')], 'open', null],
    ['the secret of another run', [line('begin', 'api', 'cd'.repeat(32))], 'broken', null],
    [
      'tests that must fail and passed',
      [SOUND.join('').replace('sound', 'unsound')],
      'closed',
      `in api-${HASH}`,
    ],
  ])('%s', async (_, records, state, canaries) => {
    expect(await seen(records)).toMatchObject({ state, canaries });
  });
});

test('rows made here list no examples of documentation, which the witness does not see', () => {
  const isUnseen = (id: string) => cargoTests.unseen!.test(id);
  expect(isUnseen('semver::doc::src/lib.rs - Version::new')).toBe(true);
  expect(
    ['semver::tests::doc', 'doc::tests/doc::one', 'test_a::tests/test_a::doc::b'].filter(isUnseen),
  ).toEqual([]);
});
