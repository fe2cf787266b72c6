/**
 * Disturbs builds at random moments and compares what comes out with an undisturbed build: the same digests, no
 * finished action repeated, nothing left behind. With --kills the whole build is killed by SIGKILL, again and again, and
 * then ends by itself. With --pauses single processes of it, its helpers and its workspaces stand still for 1 to 20
 * seconds. The deep suite runs both on a small project; on the quickstart each takes half an hour.
 *
 *     node scripts/storm.mjs [--kills 50] [--pauses 50] [--seed 1] [--match REGEX] [--project projects/quickstart.yaml]
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { open } from 'lmdb';

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '0' },
    pauses: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    match: { type: 'string', default: '' },
    project: { type: 'string', default: 'projects/quickstart.yaml' },
  },
});
const bin = fileURLToPath(new URL('../bin/swemake.js', import.meta.url));
const file = resolve(options.project);
const random = randomNumbers(Number(options.seed));
const folders = [];

try {
  const undisturbed = projectFolder();
  const before = Date.now();
  await build(undisturbed);
  const duration = Date.now() - before;
  console.log(`undisturbed: ${duration} ms, ${finished(undisturbed).length} actions`);
  const report = await storm(undisturbed, duration);
  console.log(JSON.stringify(report));
  process.exitCode = report.sound ? 0 : 1;
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** Rounds of disturbed builds, each with a fresh cache. */
async function storm(undisturbed, duration) {
  const report = {
    kills: 0,
    pauses: 0,
    rounds: 0,
    early: 0,
    differing: 0,
    chance: 0,
    repeated: 0,
    leftovers: [],
    unsound: 0,
  };
  const expected = await answers(undisturbed);
  const [kills, pauses] = [Number(options.kills), Number(options.pauses)];
  while (report.kills < kills) await round(report, expected, killed(report, kills, duration));
  while (report.pauses < pauses) await round(report, expected, paused(report, pauses));
  const { differing, repeated, unsound } = report;
  return { ...report, sound: differing + repeated + unsound + report.leftovers.length === 0 };
}

/** Disturbs the builds of one folder, lets a last one end, and adds what was found to the report. */
async function round(report, expected, disturb) {
  report.rounds += 1;
  const folder = projectFolder();
  await disturb(folder);
  await build(folder);
  await compare(folder, expected, report);
  report.unsound += (await run(folder, ['verify', basename(file), '--rehash'])) === 0 ? 0 : 1;
  console.log(`round ${report.rounds}: ${JSON.stringify(report)}`);
  rmSync(folder, { recursive: true, force: true });
}

/** Up to eight kills in a round, so that builds get to every part of the work. */
function killed(report, most, duration) {
  return async (folder) => {
    for (let kill = 0; kill < 8 && report.kills < most; kill += 1) {
      if (!(await build(folder, Math.floor(random() * duration * 0.6)))) {
        report.early += 1;
        return;
      }
      report.kills += 1;
      report.leftovers.push(...(await leftoversAtLast(folder)));
    }
  };
}

/** One build; from its start to its end one process after the other stands still. */
function paused(report, most) {
  return async (folder) => {
    const child = started(folder, ['build', basename(file), ...selected()]);
    let ended = false;
    child.once('exit', () => {
      ended = true;
    });
    while (!ended) {
      await sleep(200 + Math.floor(random() * 800));
      const tree = treeOf(child.pid);
      const pid = tree[Math.floor(random() * tree.length)];
      if (report.pauses >= most || pid === undefined || !signalled(pid, 'SIGSTOP')) continue;
      report.pauses += 1;
      await sleep(1000 + Math.floor(random() ** 3 * 19_000));
      signalled(pid, 'SIGCONT');
    }
  };
}

/** False when it has ended. */
function signalled(pid, signal) {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** The process and all that it started. */
function treeOf(pid) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
  const found = parents.some(([each]) => each === pid) ? [pid] : [];
  for (const one of found) for (const [each, parent] of parents) if (parent === one) found.push(each);
  return found;
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

async function compare(folder, expected, report) {
  const now = await answers(folder);
  for (const item of new Set([...expected.keys(), ...now.keys()])) {
    const [one, other] = [expected.get(item), now.get(item)];
    if (one?.digest === other?.digest) continue;
    // Which of the tests of a flaky item disagreed is chance, and a part of its answer.
    const chance = one?.outcome.status === 'flaky' && other?.outcome.status === 'flaky';
    report[chance ? 'chance' : 'differing'] += 1;
    if (chance) continue;
    console.log(`differs: ${item}\n  - ${JSON.stringify(one)}\n  + ${JSON.stringify(other)}`);
  }
  const items = finished(folder);
  report.repeated += items.length - new Set(items).size;
  for (const name of ['tmp', 'locks', 'records.mdb.users', 'executors/sandbox', 'executors/local']) {
    const path = join(folder, '.swemake', name);
    if (existsSync(path)) report.leftovers.push(...readdirSync(path).map((entry) => `${name}/${entry}`));
  }
}

function projectFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-storm-'));
  folders.push(folder);
  const skipped = ['.swemake', 'out'];
  cpSync(dirname(file), folder, { recursive: true, filter: (path) => !skipped.includes(basename(path)) });
  return folder;
}

/** Builds; with `after`, kills the process group after so many milliseconds. True when it was killed. */
async function build(folder, after = null) {
  return (await run(folder, ['build', basename(file), ...selected()], after)) === null;
}

function selected() {
  return options.match === '' ? [] : ['--set', `dataset.train.select.match=${options.match}`];
}

/** In a process group of its own, which is killed as a whole. */
function started(folder, args) {
  return spawn(process.execPath, [bin, ...args], { cwd: folder, stdio: 'ignore', detached: true });
}

function run(folder, args, after = null) {
  return new Promise((done, fail) => {
    const child = started(folder, args);
    const timer = after === null ? null : setTimeout(() => process.kill(-child.pid, 'SIGKILL'), after);
    child.on('error', fail);
    child.on('exit', (code) => {
      clearTimeout(timer);
      done(code);
    });
  });
}

function events(folder) {
  const runs = join(folder, '.swemake/runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .sort()
    .map((name) => join(runs, name, 'events.jsonl'))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
    .flatMap((line) => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    })
    .filter((event) => event.type === 'item-finished' && event.record !== undefined);
}

function finished(folder) {
  return events(folder).map((event) => `${event.stage}@${event.item}`);
}

/**
 * What the cache answers for every item. A build that is killed when an answer is stored and not yet told leaves no
 * line of it in the journal.
 */
async function answers(folder) {
  const root = open({
    path: join(folder, '.swemake/records.mdb'),
    noSubdir: true,
    maxDbs: 16,
    readOnly: true,
  });
  const latest = root.openDB({ name: 'latest' });
  const records = root.openDB({ name: 'records', keyEncoding: 'binary' });
  const found = new Map();
  for (const { key: item, value } of latest.getRange({})) {
    const { digest, run, outcome } = records.get(Buffer.from(value.key, 'hex'));
    found.set(item, { digest, run, outcome });
  }
  await root.close();
  return found;
}

/** What is still there after a minute: processes end one after the other once their build is killed. */
async function leftoversAtLast(folder) {
  for (let look = 0; look < 200 && leftovers(folder).length > 0; look += 1) await sleep(300);
  return leftovers(folder);
}

/** Mounts below the folder and processes that mention it. */
function leftovers(folder) {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder));
  const processes = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
    } catch {
      return false;
    }
  });
  return [...mounts, ...processes.map((pid) => `process ${pid}`)];
}

/** mulberry32. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
