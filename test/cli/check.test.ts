/** `swemake check`: every error of every file, for people, programs and pull requests. */
import { describe, expect, test } from 'vitest';
import { checkCommand } from '../../cli/check.ts';
import { MINIMAL, projectFolder, run } from '../compiler/project-folder.ts';

const WRONG = `${MINIMAL}deployments:
  box: { type: sandbx, limits: { memory: 4GiB } }
environments:
  recipes:
    - match: { repo: "pydicom/*" }
      python: 3.10
`;

describe('for people', () => {
  test('a right file is one line on stdout', async () => {
    const ran = await run(checkCommand, ['p.yaml'], projectFolder({ 'p.yaml': MINIMAL }));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^no errors in 1 file \(\d+ ms\)\n$/);
  });

  test('all errors of a wrong file, in its order, with marks and remedies', async () => {
    const ran = await run(checkCommand, ['p.yaml'], projectFolder({ 'p.yaml': WRONG }));
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr.replace(/\d+ ms/, 'N ms')).toBe(`p.yaml:6:16  E102  unknown deployment type "sandbx"
    6 |   box: { type: sandbx, limits: { memory: 4GiB } }
      |                ^^^^^^ did you mean "sandbox"?
p.yaml:10:15  E107  python version must be a string: 3.10 reads as the number 3.1
   10 |       python: 3.10
      |               ^^^^ write "3.10"
2 errors in 1 file (N ms)
`);
  });

  test('colours only on a terminal that wants them', async () => {
    const folder = projectFolder({ 'p.yaml': WRONG });
    const colored = await run(checkCommand, ['p.yaml'], folder, { isTTY: true });
    const refused = await run(checkCommand, ['p.yaml'], folder, { isTTY: true, env: { NO_COLOR: '1' } });
    expect(colored.stderr).toContain('\u001b[31mE102\u001b[0m');
    expect(refused.stderr).not.toContain('\u001b');
  });

  test('a long line is cut around its mark', async () => {
    const yaml = `${MINIMAL}environments: { recipes: [{ match: {}, test: "${'x'.repeat(300)}", pyhton: "3.9", install: ["${'y'.repeat(300)}"] }] }\n`;
    const { stderr } = await run(checkCommand, ['p.yaml'], projectFolder({ 'p.yaml': yaml }));
    const [, line = '', marks = ''] = stderr.split('\n');
    expect(line.length).toBeLessThan(135);
    expect(line.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('pyhton');
  });
});

test('several files: each is checked, what they share is said once', async () => {
  const files = {
    'base.yaml': `${MINIMAL}nmae: x\n`,
    'a.yaml': 'extends: base.yaml\n',
    'b.yaml': 'extends: base.yaml\n',
    'c.yaml': MINIMAL,
  };
  const ran = await run(checkCommand, ['a.yaml', 'b.yaml', 'c.yaml', 'none.yaml'], projectFolder(files));
  expect(ran.code).toBe(2);
  expect(ran.stderr.match(/E\d+/g)).toEqual(['E103', 'E100']);
  expect(ran.stderr).toContain('2 errors in 4 files');
});

describe('profiles', () => {
  const yaml = `${MINIMAL}profiles:
  wrong: { validation: { gold_runs: many } }
  needs: { cache: { folder: "\${env:STORE}" } }
`;

  test('those that are not selected are checked too', async () => {
    const { code, stderr } = await run(checkCommand, ['p.yaml'], projectFolder({ 'p.yaml': yaml }));
    expect(code).toBe(2);
    expect(stderr.match(/E\d+/g)).toEqual(['E105']);
  });

  test('a variable that only they need may be absent, until one is selected', async () => {
    const folder = projectFolder({ 'p.yaml': yaml.replace('many', '3') });
    expect((await run(checkCommand, ['p.yaml'], folder)).code).toBe(0);
    const selected = await run(checkCommand, ['p.yaml', '--profile', 'needs'], folder);
    expect(selected.code).toBe(2);
    expect(selected.stderr).toContain('E120');
  });
});

test('profiles that exclude each other are checked one by one', async () => {
  const yaml = `${MINIMAL}agent: { model: { base_url: "http://127.0.0.1:1/v1", name: a, identity: "a@1" } }
profiles:
  tools: { agent: { type: tools } }
  rl: { agent: { dialect: swe-rl } }
`;
  const folder = projectFolder({ 'p.yaml': yaml });
  for (const args of [['p.yaml'], ['p.yaml', '--profile', 'tools'], ['p.yaml', '--profile', 'rl']])
    expect((await run(checkCommand, args, folder)).stderr).toBe('');
  const both = await run(checkCommand, ['p.yaml', '--profile', 'tools,rl'], folder);
  expect(both.stderr).toContain('E103');
});

test('--json is one object', async () => {
  const { code, stdout, stderr } = await run(
    checkCommand,
    ['--json', 'p.yaml'],
    projectFolder({ 'p.yaml': WRONG }),
  );
  expect([code, stderr]).toEqual([2, '']);
  expect(JSON.parse(stdout)).toMatchObject({
    files: 1,
    errors: 2,
    warnings: 0,
    diagnostics: [
      {
        code: 'E102',
        severity: 'error',
        file: 'p.yaml',
        line: 6,
        column: 16,
        length: 6,
        remedy: 'did you mean "sandbox"?',
      },
      { code: 'E107' },
    ],
  });
});

test('GitHub gets annotations, with its special characters escaped', async () => {
  const yaml = WRONG.replace('sandbx', '"50%,\\n:x"');
  const folder = projectFolder({ 'p.yaml': yaml });
  const { stdout } = await run(checkCommand, ['p.yaml'], folder, { env: { GITHUB_ACTIONS: 'true' } });
  expect(stdout.split('\n')).toEqual([
    '::error file=p.yaml,line=6,col=16,endColumn=26,title=E102::unknown deployment type "50%25,%0A:x"%0Aone of auto, sandbox, local, docker, pool, process, ray',
    '::error file=p.yaml,line=10,col=15,endColumn=19,title=E107::python version must be a string: 3.10 reads as the number 3.1%0Awrite "3.10"',
    '',
  ]);
  expect((await run(checkCommand, ['p.yaml'], folder)).stdout).toBe('');
});

test('warnings are shown and do not fail', async () => {
  const yaml = `${MINIMAL}validation: { gold_runs: 1 }\n`;
  const ran = await run(checkCommand, ['p.yaml'], projectFolder({ 'p.yaml': yaml }));
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain('W203');
  expect(ran.stdout).toMatch(/^no errors, 1 warning in 1 file/);
});

test('control characters never reach the terminal', async () => {
  const yaml = `${MINIMAL}"\\e[31m\\u202ekey": 1\n`;
  const { stderr } = await run(checkCommand, ['p.yaml'], projectFolder({ 'p.yaml': yaml }));
  expect(stderr).toContain('E103');
  expect(stderr).not.toMatch(/[\u001b\u202e]/);
});

test.each([
  [[], 'FILE is missing'],
  [['--jsn', 'p.yaml'], 'did you mean "--json"?'],
])('wrong usage: %j', async (args, text) => {
  const ran = await run(checkCommand, args, projectFolder({}));
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(text);
});
