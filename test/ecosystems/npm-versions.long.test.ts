/** The witness of tests of JavaScript sees what old and new versions of runners run. Needs npm's registry; real ones, in plain processes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { npmWitness } from '../../ecosystems/npm/witness.ts';
import { temporaryFolder } from '../rig/folder.ts';

const TESTS = (name: string) => `
${name === 'vitest' ? "import { describe, expect, it, test } from 'vitest';" : ''}
describe('d', () => {
  it('passes', () => expect(1).toBe(1));
  it('fails', () => expect(1).toBe(2));
  it.skip('is skipped', () => {});
});
test('waits', async () => {});
${name === 'vitest' ? SNAPSHOTS : ''}
`;

/** vitest looks for the lines of these below the calls that compare them. */
const SNAPSHOTS = `
test('has snapshots', async () => {
  expect(1).toMatchInlineSnapshot(\`1\`);
  expect('b').toMatchInlineSnapshot(\`"b"\`);
  await expect(Promise.resolve(2)).resolves.toMatchInlineSnapshot(\`2\`);
});
test('has another snapshot', () => expect(1).toMatchInlineSnapshot(\`2\`));
`;

test.each([
  ...['22.4.4', '23.6.0', '24.9.0', '25.5.4', '26.6.3', '27.5.1', '29.7.0'].map((version) => [
    'jest',
    version,
  ]),
  ...['0.30.1', '0.34.6', '1.6.1', '2.1.9', '3.2.4'].map((version) => ['vitest', version]),
] as [string, string][])('%s %s', { timeout: 600_000 }, async (name, version) => {
  const folder = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  write(join(folder, 'package.json'), '{ "name": "m", "version": "1.0.0" }');
  write(join(folder, 'test', name === 'vitest' ? 'm.test.mjs' : 'm.test.js'), TESTS(name));
  const shell = (line: string) =>
    execFileSync('bash', ['-c', `${line} < /dev/null 2>&1 || true`], { cwd: folder, encoding: 'utf8' });
  shell(`npm install --no-audit --no-fund ${name}@${version}`);
  const command = name === 'vitest' ? 'npx vitest run' : 'npx jest --env=node';
  const instance = { FAIL_TO_PASS: [], PASS_TO_PASS: [], test_patch: '' };
  const request = { folder: join(folder, 'witness'), nonce: 'a'.repeat(64), command, instance };
  const witness = await npmWitness(request as unknown as Parameters<typeof npmWitness>[0]);
  for (const [path, text] of Object.entries(witness.files)) write(path, text);
  const printed = shell([...witness.before, command].join('\n'));
  const records = readdirSync(request.folder)
    .filter((one) => one.startsWith('record-'))
    .map((one) => readFileSync(join(request.folder, one), 'utf8'));
  const { state, canaries, statuses, modified } = witness.seen(records);
  expect({ state, canaries }, printed).toEqual({ state: 'closed', canaries: null });
  expect(['d > passes', 'd > fails', 'd > is skipped', 'waits'].map((id) => statuses.get(id))).toEqual([
    'PASSED',
    'FAILED',
    'SKIPPED',
    'PASSED',
  ]);
  if (name === 'vitest')
    expect([statuses.get('has snapshots'), statuses.get('has another snapshot')], printed).toEqual([
      'PASSED',
      'FAILED',
    ]);
  expect((modified ?? []).filter((one) => !one.startsWith('serializers: '))).toEqual([]);
  expect(printed).not.toContain('swemake a');
});
