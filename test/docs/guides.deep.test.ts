/** Every command on the pages of `docs/guides` is run, in the order of the pages, on a package of our own and a scripted model. */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { type ModelServer, startModelServer } from '../rig/model-server.ts';
import { hasPackageIndex } from '../rig/quickstart.ts';
import { fenced, SUBMIT, turnOf } from '../rig/solver.ts';

const GUIDES = [
  'validate-a-repository',
  'collect-sft-data',
  'read-results',
  'evaluate-a-model',
  'train-with-rl',
  'run-on-a-cluster',
];
const WAIT = 900_000;
const ENDPOINT = 'http://127.0.0.1:8000/v1';

const folder = temporaryFolder();
const NAME = basename(folder);
const on = test.skipIf(!hasPackageIndex());
let model: ModelServer;

const FILES = {
  'toy/pyproject.toml':
    '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n[project]\nname = "toy"\nversion = "1.0"\n[project.optional-dependencies]\ntest = ["pytest<9"]\n[tool.setuptools]\npy-modules = ["toy"]\n',
  'toy/toy.py':
    'def clamp(value, low=0, high=10):\n    if value < low:\n        return low\n    if value > high:\n        return high\n    return value\n\n\ndef total(values):\n    result = 0\n    for value in values:\n        result = result + value\n    return result\n\n\ndef is_even(value):\n    return value % 2 == 0\n',
  'toy/test_toy.py':
    'from toy import clamp, is_even, total\n\n\ndef test_low():\n    assert clamp(-1) == 0\n\n\ndef test_high():\n    assert clamp(11) == 10\n\n\ndef test_inside():\n    assert clamp(5) == 5\n\n\ndef test_total():\n    assert total([1, 2, 3]) == 6\n\n\ndef test_even():\n    assert is_even(4) and not is_even(3)\n',
};

/** Fenced blocks of a page with their language. */
function blocksOf(guide: string): { language: string; text: string }[] {
  const page = readFileSync(join(packageRoot(), 'docs/guides', `${guide}.md`), 'utf8');
  return [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({
    language: language!,
    text: text!,
  }));
}

async function run(command: string): Promise<void> {
  const env = {
    ...process.env,
    ...{ HOME: folder, PATH: `${folder}/bin:${process.env.PATH}`, SWEMAKE_PARANOID: '1' },
  };
  const options = { cwd: folder, env, maxBuffer: 1 << 26 };
  const printed = await new Promise<string>((resolve) =>
    execFile('bash', ['-ec', command], options, (error, stdout, stderr) =>
      resolve(error === null ? '' : `${error.message}\n${stdout}\n${stderr}`),
    ),
  );
  expect(printed).toBe('');
}

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const git = ['-C', join(folder, 'toy'), '-c', 'user.name=a', '-c', 'user.email=a@b'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'all'],
  ])
    execFileSync('git', [...git, ...args]);
  cpSync(join(packageRoot(), 'python'), join(folder, 'swemake/python'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  const program = join(folder, 'bin/swemake');
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${process.execPath} ${join(packageRoot(), 'bin/swemake.js')} "$@"\n`,
  );
  chmodSync(program, 0o755);
  // It knows the package as it was.
  const text = FILES['toy/toy.py'];
  const solve = fenced(`cat > toy.py <<'END'\n${text}END`);
  model = await startModelServer((asked) => (turnOf(asked) > 0 ? fenced(SUBMIT) : solve));
});

test('of each page are written down', () => {
  for (const guide of GUIDES) expect(commandsOf(guide).length, guide).toBeGreaterThan(0);
});

on.each(GUIDES)(
  '%s',
  async (guide) => {
    for (const { text } of blocksOf(guide)) {
      const file = /^# (\S+\.yaml)\n/.exec(text)?.[1];
      if (file !== undefined) writeFileSync(join(folder, file), text.replaceAll(ENDPOINT, model.url));
    }
    // A training has an engine of its own at that address.
    if (guide === 'train-with-rl') await model.stop();
    await run(commandsOf(guide).join('\n'));
  },
  WAIT,
);

test.skipIf(!hasPackageIndex())('what they promise is there', () => {
  const lines = (path: string) =>
    readFileSync(join(folder, 'out', path), 'utf8')
      .trim()
      .split('\n');
  expect(lines(`${NAME}/filter.train/passed.jsonl`)).toHaveLength(5);
  expect(lines('sft/sft-data.train/sft.jsonl')).toHaveLength(10);
  expect(lines('bench/evaluate.eval/tuned/summary.md').join()).toContain('100.0 % (5 of 5');
  expect(readFileSync(join(folder, 'cluster.sbatch'), 'utf8')).toMatch(
    /^#!\/bin\/bash\n[\s\S]*#SBATCH --nodes=3/,
  );
});

function commandsOf(guide: string): string[] {
  const consoles = blocksOf(guide).filter(({ language }) => language === 'console');
  return consoles.flatMap(({ text }) =>
    text.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : [])),
  );
}
