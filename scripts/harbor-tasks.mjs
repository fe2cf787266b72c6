/**
 * Exported tasks of Harbor, tried as their users will: the reward of the solution must be 1, that of no patch 0. By hand,
 * since it needs an engine and base images:
 *
 *     node scripts/harbor-tasks.mjs FOLDER [--python PROGRAM] [--concurrent N] [--jobs DIR] [--build-network host]
 *
 * FOLDER is that of `swemake export validate --format harbor`. PROGRAM is the Python of a virtual environment with
 * `pip install harbor`. With it, and with the compose plugin of Docker, `harbor run` does it with Harbor's agents `oracle`
 * and `nop`, N tasks at a time (default 1), and leaves its jobs in DIR (default: a new folder). Otherwise this script
 * builds the images and opens the containers itself, as Harbor does; --build-network is that of these images.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE =
  'usage: node scripts/harbor-tasks.mjs FOLDER [--python PROGRAM] [--concurrent N] [--jobs DIR] [--build-network host]';

const { values, positionals } = readArguments();
const [folder] = positionals;
if (values.help || folder === undefined) {
  (values.help ? console.log : console.error)(USAGE);
  process.exit(values.help ? 0 : 2);
}
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => existsSync(join(folder, name, 'task.toml')))
  : [];
if (names.length === 0) {
  console.error(`${folder} holds no tasks`);
  process.exit(2);
}

const { python } = values;
if (python !== undefined) askLoader();
const hasCompose = run('docker', ['compose', 'version']).status === 0;
const byHarbor = python !== undefined && hasCompose;
console.log(byHarbor ? 'tried by harbor run' : `tried without harbor run: ${missing()}`);
let wrong = 0;
if (byHarbor) {
  const jobs = resolve(values.jobs ?? mkdtempSync(join(tmpdir(), 'swemake-harbor-jobs-')));
  const [solved, untouched] = ['oracle', 'nop'].map((agent) => jobRewards(agent, jobs));
  for (const name of names) tell(name, solved.get(name) ?? 'none', untouched.get(name) ?? 'none');
  console.log(`jobs: ${jobs}`);
} else for (const name of names) tell(name, ...containerRewards(resolve(folder, name)));
console.log(`${names.length - wrong} of ${names.length} tasks give 1 for their solution and 0 for no patch`);
process.exitCode = wrong === 0 ? 0 : 1;

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        python: { type: 'string' },
        concurrent: { type: 'string', default: '1' },
        jobs: { type: 'string' },
        'build-network': { type: 'string', default: 'default' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

function missing() {
  return python === undefined ? '--python names no Python that has it' : 'docker has no compose plugin';
}

function tell(name, solved, untouched) {
  const isRight = solved === '1' && untouched === '0';
  if (!isRight) wrong += 1;
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${name}: solved ${solved}, no patch ${untouched}`);
}

function run(program, args, options = {}) {
  return spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
}

/** Harbor's own reader takes each task, and will grade it in a container of its own. */
function askLoader() {
  const script = `
import sys
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_task_verifier_mode
for folder in sys.argv[1:]:
    assert Task.is_valid_dir(folder), folder
    assert resolve_task_verifier_mode(Task(folder).config).value == 'separate', folder
print(len(sys.argv) - 1, 'tasks are read by Harbor')
`;
  const read = run(python, ['-c', script, ...names.map((name) => join(folder, name))]);
  if (read.error) console.error(`${python}: ${read.error.message}`);
  else process.stdout.write(read.stdout + read.stderr);
  if (read.status !== 0) process.exit(1);
}

/** What `harbor run` says of each task: its reward, or why there is none. */
function jobRewards(agent, jobs) {
  const job = `${agent}-${Date.now()}`;
  const args = ['run', '-p', folder, '-a', agent, '-n', values.concurrent, '-o', jobs, '--job-name', job];
  const end = run(join(dirname(python), 'harbor'), [...args, '--yes', '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (end.error) console.error(`harbor run: ${end.error.message}`);
  const trials = existsSync(join(jobs, job)) ? readdirSync(join(jobs, job)) : [];
  return new Map(
    trials
      .map((trial) => join(jobs, job, trial, 'result.json'))
      .filter(existsSync)
      .map((path) => JSON.parse(readFileSync(path, 'utf8')))
      .map(({ task_id, verifier_result, exception_info }) => [
        task_id.path.split('/').at(-1),
        exception_info === null
          ? String(verifier_result?.rewards?.reward ?? 'none')
          : `none: ${exception_info.exception_type}`,
      ]),
  );
}

/** The rewards of the solution and of no patch, in containers that are opened here. */
function containerRewards(task) {
  const image = 'swemake-harbor-task';
  const built = run('docker', [
    ...['build', '-q', `--network=${values['build-network']}`, '-t', image, join(task, 'environment')],
  ]);
  if (built.status !== 0) {
    const why = built.error?.message ?? built.stderr.trim().split('\n').at(-1);
    return [`none: no image: ${why}`, 'none'];
  }
  const rewards = ['bash /solution/solve.sh', 'true'].map((agent) => rewardOf(task, image, agent));
  run('docker', ['image', 'rm', '-f', image]);
  return rewards;
}

/** The reward of what an agent does, as Harbor gets it: in one container, and graded in another. */
function rewardOf(task, image, agent) {
  const logs = mkdtempSync(join(tmpdir(), 'swemake-harbor-'));
  for (const name of ['artifacts', 'verifier']) mkdirSync(join(logs, name));
  const inside = (mounts, command) =>
    run('docker', [
      ...['run', '--rm', '--network', 'none'],
      ...mounts.flatMap(([from, to]) => ['-v', `${from}:${to}`]),
      ...[image, 'bash', '-c', command],
    ]);
  const toml = readFileSync(join(task, 'task.toml'), 'utf8');
  const collect = JSON.parse(/^command = (".*")$/m.exec(toml)[1]);
  const artifacts = [join(logs, 'artifacts'), '/logs/artifacts'];
  inside([artifacts, [join(task, 'solution'), '/solution:ro']], `${agent}; ${collect}`);
  const mounts = [artifacts, [join(logs, 'verifier'), '/logs/verifier'], [join(task, 'tests'), '/tests:ro']];
  const { stdout, stderr } = inside(mounts, 'bash /tests/test.sh');
  const file = join(logs, 'verifier/reward.txt');
  const reward = existsSync(file) ? readFileSync(file, 'utf8').trim() : `none: ${stdout}${stderr}`;
  rmSync(logs, { recursive: true, force: true });
  return reward;
}
