/** Hostile tasks among good ones: each gets its answer, the good ones theirs, and nothing outlives the build. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Outcome } from '../../schemas/outcome.ts';
import type { Project } from '../rig/project.ts';
import { tinyProject } from '../rig/tiny-project.ts';

/** What the buggy module does when its test imports it; the good one does nothing of that. */
const HOSTILE: Readonly<Record<string, string>> = {
  forks: 'import os\nwhile True: os.fork()',
  memory: 'x = []\nwhile True: x.append(bytearray(1 << 24))',
  disk: 'f = open("/testbed/fill", "wb")\nwhile True: f.write(bytes(1 << 20))',
  output: 'import sys\nfor _ in range(256): sys.stdout.write("x" * (1 << 20))',
  killer:
    'import os\nfor s in range(1, 65):\n    try: os.kill(1, s)\n    except OSError: pass\nos.kill(-1, 9)',
  stubborn:
    'import os, signal, time\nfor s in (1, 2, 15): signal.signal(s, signal.SIG_IGN)\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: os.execlp("sleep", "swemake-hostile-MARK", "600")\ntime.sleep(600)',
  deep: 'import os\nfor _ in range(300):\n    os.mkdir("d" * 40)\n    os.chdir("d" * 40)\nos.chmod(".", 0)',
};
const GOOD = 2;
/** Reasons of faults: processor time went to others, or the machine stood still; and what waited for such an item. */
const HINDERED = ['busy', 'paused', 'upstream-infra'];

/** A patch from the module of one line to `lines`. */
function bug(index: number, code: string): string {
  const lines = [...code.split('\n'), 'VALUE = -1'];
  const file = `m${index}.py`;
  const added = lines.map((line) => `+${line}\n`).join('');
  return `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1,${lines.length} @@\n-VALUE = ${index}\n${added}`;
}

/** Whether items of the last build ended without an answer, and each because the machine was busy or stood still. */
function isOnlyHindered(project: Project): boolean {
  const ends = project.events().filter(({ type }) => type === 'item-finished');
  const last = new Map(ends.map(({ stage, item, outcome }) => [`${stage} ${item}`, outcome as Outcome]));
  const faults = [...last.values()].filter(({ status }) => status === 'infra');
  return faults.length > 0 && faults.every((fault) => 'reason' in fault && HINDERED.includes(fault.reason));
}

test('every task gets its answer and nothing outlives the build', async (context) => {
  const names = Object.keys(HOSTILE);
  const mark = `${process.pid}`;
  const project = tinyProject({ instances: GOOD + names.length });
  const rows = readFileSync(project.path('rows.jsonl'), 'utf8').trim().split('\n');
  const hostile = rows.map((row, index) => {
    const code = HOSTILE[names[index - GOOD] ?? ''];
    if (code === undefined) return row;
    const patch = bug(index, code.replace('MARK', mark));
    return JSON.stringify({ ...JSON.parse(row), instance_id: `hostile.${names[index - GOOD]}`, patch });
  });
  writeFileSync(project.path('rows.jsonl'), `${hostile.join('\n')}\n`);
  const limits = '{ memory: 512MiB, pids: 64, disk: 64MiB, cpus: 1 }';
  const settings = ['--set', `deployments.box.limits=${limits}`, '--set', 'validation.timeout=8s'];
  const doctor = await project.run('doctor', 'p.yaml');
  if (doctor.code !== 0) {
    process.stdout.write(`skipped: ${doctor.stdout}\n`);
    return context.skip();
  }
  let built = await project.build('p.yaml', ...settings);
  // Other work on the machine may take the time that a task has. That is a fault, and a user builds again.
  for (let again = 0; again < 4 && isOnlyHindered(project); again += 1)
    built = await project.build('p.yaml', ...settings);
  expect(built.code).toBe(0);
  expect(built.outcomes.infra).toBe(0);
  const verdicts = new Map(
    project
      .events()
      .filter(({ type, stage }) => type === 'item-finished' && stage === 'validate.train')
      .map(({ item, outcome }) => [item, (outcome as { status: string }).status]),
  );
  // Imports that raise at a limit, loud and deep ones are bugs like others: the tests ran to their end and failed.
  const raising = ['forks', 'disk', 'output', 'deep'].map((name) => `hostile.${name}`);
  for (const name of ['tiny.0', 'tiny.1', ...raising])
    expect([name, verdicts.get(name)]).toEqual([name, 'ok']);
  // A run that was ended by force says nothing of the tests that it did not reach.
  for (const name of ['memory', 'killer', 'stubborn'])
    expect([name, verdicts.get(`hostile.${name}`)]).toEqual([
      name,
      expect.stringMatching(/^(failed|timeout)$/),
    ]);
  // Answers, all of them: another build has nothing to do.
  expect((await project.build('p.yaml', ...settings)).executed).toBe(0);

  const processes = readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${Number(pid)}/cmdline`, 'utf8').includes(`swemake-hostile-${mark}`);
    } catch {
      return false;
    }
  });
  expect(processes).toEqual([]);
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(project.folder);
  for (const name of ['tmp', 'locks', 'executors/sandbox']) {
    const folder = project.path(`.swemake/${name}`);
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  }
}, 300_000);
