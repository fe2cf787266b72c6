/** The wheel with the program in it: the same bytes of the same tarball, and it runs where no Node is found. Needs npm's and Python's registry. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';

const run = (argv: string[], cwd = packageRoot(), env: NodeJS.ProcessEnv = process.env) =>
  execFileSync(argv[0]!, argv.slice(1), { cwd, env, encoding: 'utf8' });

test('a wheel is made twice alike, installs, and starts without a Node on the path', {
  timeout: 600_000,
}, () => {
  const folder = temporaryFolder();
  run(['npm', 'pack', '--silent', '--pack-destination', folder]);
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz'))!);
  const made = ['one', 'two'].map((name) => {
    run(['python3', join(packageRoot(), 'scripts/wheel.py'), tarball, join(folder, name)]);
    const [wheel] = readdirSync(join(folder, name));
    return { wheel: wheel!, bytes: readFileSync(join(folder, name, wheel!)) };
  });
  expect(made[0]!.wheel).toMatch(/^swemake-\d+\.\d+\.\d+-py3-none-manylinux_2_34_\w+\.whl$/);
  expect(made[0]!.bytes.equals(made[1]!.bytes)).toBe(true);
  expect(made[0]!.bytes.length).toBeLessThan(25_000_000);
  run(['python3', '-m', 'venv', join(folder, 'venv')]);
  run([join(folder, 'venv/bin/pip'), 'install', '-q', join(folder, 'one', made[0]!.wheel)]);
  const told = run([join(folder, 'venv/bin/swemake'), '--version'], folder, { PATH: '/nowhere' });
  expect(told).toMatch(/^swemake \d+\.\d+\.\d+ \(build [0-9a-f]{12}\)$/m);
  const project = join(folder, 'project');
  mkdirSync(project);
  const env = { PATH: '/nowhere', HOME: folder };
  run([join(folder, 'venv/bin/swemake'), 'init', 'quick.yaml', '--template', 'quickstart'], project, env);
  expect(run([join(folder, 'venv/bin/swemake'), 'check', 'quick.yaml'], project, env)).toContain(
    'no errors in 1 file',
  );
});
