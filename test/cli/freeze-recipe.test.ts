/** Recipes from `pip freeze`: of a text, and of an image in which it is run. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadProject } from '../../compiler/load.ts';
import { atEnd } from '../rig/at-end.ts';
import { command, commandJson } from '../rig/command.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';

const FREEZE = `Python 3.9.20
certifi @ file:///builds/certifi
numpy==1.26.4
-e git+https://github.com/pydicom/pydicom@7d361b3d#egg=pydicom
pytest==8.3.5
`;
const run = (project: Project, ...args: string[]) => command(project, 'import-recipes', ...args);

test('the text of pip freeze becomes a recipe that a project extends', async () => {
  const project = new Project();
  writeFileSync(project.path('said.txt'), FREEZE);
  const end = await run(project, '--freeze', 'said.txt', '--match', 'pydicom/*', '-o', 'pydicom.yaml');
  expect([end.code, end.stderr]).toEqual([0, '2 pins for Python 3.9, 2 lines left out\n']);
  expect(readFileSync(project.path('pydicom.freeze.txt'), 'utf8').split('\n')).toEqual([
    expect.stringMatching(/^# -e git\+/),
    expect.stringMatching(/^# certifi @/),
    'numpy==1.26.4',
    'pytest==8.3.5',
    '',
  ]);
  expect(readFileSync(project.path('pydicom.yaml'), 'utf8')).toContain(
    '# left out, as they say no version: -e git',
  );
  const rows = 'dataset: { train: { source: rows.jsonl, format: swe-smith } }';
  writeFileSync(project.path('p.yaml'), `extends: pydicom.yaml\nversion: 1\nname: p\n${rows}\n`);
  writeFileSync(project.path('rows.jsonl'), '');
  const loaded = await loadProject('p.yaml', { cwd: project.folder, env: {} });
  expect(loaded.ok && loaded.value.config.environments.recipes).toEqual([
    { match: { repo: 'pydicom/*' }, python: '3.9', freeze: 'pydicom.freeze.txt', pip: [] },
  ]);
  const json = await commandJson<object>(
    project,
    ...['import-recipes', '--freeze', 'said.txt', '--match', 'a/b', '-o', 'deep/er/x.yml'],
  );
  expect(json).toMatchObject({
    output: 'deep/er/x.yml',
    python: '3.9',
    pins: 2,
    leftOut: [expect.any(String), expect.any(String)],
  });
});

test('what is missing or says nothing is named', async () => {
  const project = new Project();
  writeFileSync(project.path('empty.txt'), '# nothing\n-e .\n');
  const rest = ['--match', 'a/b', '-o', 'x.yaml'];
  expect(await run(project, '--freeze', 'none.txt', ...rest)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('none.txt cannot be read (ENOENT)\n      give'),
  });
  expect(await run(project, '--freeze', 'empty.txt', ...rest)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('empty.txt has no line such as pytest==8.3.5'),
  });
  for (const args of [
    ['--freeze', 'empty.txt'],
    ['--match', 'a/b'],
    ['--freeze', 'a', '--image', 'b', ...rest],
  ])
    expect((await run(project, ...args)).code).toBe(2);
  expect(await run(project, '--image=--privileged', ...rest)).toMatchObject({ code: 3 });
});

const reachable = spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
if (!reachable) process.stdout.write('skipped: no docker daemon can be reached\n');

test.skipIf(!reachable)(
  'an image is asked for its own list',
  async () => {
    const image = `swemake-test:freeze-${process.pid}`;
    atEnd(() => spawnSync('docker', ['rmi', '-f', image], { stdio: 'ignore' }));
    // Bash with its libraries, and a python that says what one in an image would say.
    const script = `
mkdir -p bin opt/miniconda3/bin
for file in $(ldd /bin/bash | grep -o '/[^ ]*'); do mkdir -p ".$(dirname $file)"; cp -L $file .$file; done
cp -L /bin/bash bin/bash
printf '[ "$1" = testbed ] && PATH=/bin && active=yes\\n' > opt/miniconda3/bin/activate
cat > bin/python <<'END'
#!/bin/bash
case "$*" in
  --version) echo "Python 3.9.20" ;;
  "-m pip freeze") while read -r line; do echo "$line"; done < /said.txt ;;
esac
END
chmod +x bin/python
tar -c . | docker import - ${image}`;
    const root = temporaryFolder();
    writeFileSync(`${root}/said.txt`, FREEZE.split('\n').slice(1).join('\n'));
    execFileSync('bash', ['-euc', script], { cwd: root, stdio: 'pipe' });
    const project = new Project();
    const end = await run(project, '--image', image, '--match', 'pydicom/*', '-o', 'x.yaml');
    expect([end.code, end.stderr]).toEqual([0, '2 pins for Python 3.9, 2 lines left out\n']);
    expect(readFileSync(project.path('x.yaml'), 'utf8')).toContain('python: "3.9"');
    const none = await run(
      project,
      '--image',
      'swemake-test:there-is-none',
      '--match',
      'a/b',
      '-o',
      'y.yaml',
    );
    expect([none.code, none.stderr]).toEqual([
      3,
      expect.stringContaining('pip freeze could not be run in swemake-test:there-is-none'),
    ]);
  },
  120_000,
);
