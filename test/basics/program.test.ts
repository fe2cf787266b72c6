/** Programs of the machine: how each way in which one can end is told, and what is left of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { complaintOf, type ProgramRun, runProgram, runProgramNow } from '../../basics/program.ts';
import { programFault } from '../../executors/program-fault.ts';
import { temporaryFolder } from '../rig/folder.ts';
import { until } from '../rig/until.ts';

const ENV = { PATH: process.env.PATH };
const bash = (script: string, more: Partial<ProgramRun> = {}) =>
  runProgram({ argv: ['bash', '-c', script], env: ENV, timeout: 60, ...more });
const fault = (end: Awaited<ReturnType<typeof bash>>) =>
  programFault(end, { doing: 'it', remedy: 'apt-get install it', otherwise: 'source-fetch' });

/** Processes that carry a mark among their arguments. */
function running(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(mark);
    } catch {
      return false;
    }
  });
}

/** Returns once no process carries the mark. */
const gone = (mark: string) => until(() => running(mark).length === 0);

describe('a program', () => {
  test('gets its variables and no other, its folder and its input', async () => {
    const cwd = temporaryFolder();
    const end = await bash('env | sort; pwd; cat', { env: { ...ENV, A: '1' }, cwd, input: 'said' });
    expect(end).toMatchObject({ kind: 'exited', exitCode: 0, truncated: false });
    const names = end.stdout.split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['A', 'PATH', cwd, 'said']));
    expect(names).not.toContain('HOME');
  });

  test('whose input nobody reads is no error', async () => {
    const end = await bash('exit 4', { input: Buffer.alloc(1 << 20, 'x') });
    expect(end).toMatchObject({ kind: 'exited', exitCode: 4 });
  });

  test('is told with its output: both streams, and both in their order', async () => {
    let told = '';
    const end = await bash('echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three; exit 3', {
      onOutput: (bytes) => {
        told += bytes;
      },
    });
    expect(end).toMatchObject({ kind: 'exited', exitCode: 3, stdout: 'one\nthree\n', stderr: 'two\n' });
    expect([end.output, told]).toEqual(['one\ntwo\nthree\n', 'one\ntwo\nthree\n']);
    expect(complaintOf(end)).toBe('two');
  });

  test('that prints too much keeps head and tail', async () => {
    const end = await bash('echo first; yes | head -c 300000; echo last', { maxOutput: 1000 });
    expect(end.truncated).toBe(true);
    expect(end.stdout).toMatch(/^first\n.*bytes left out.*last\n$/s);
    expect(end.stdout.length).toBeLessThan(1200);
  });

  test('that is not there, and one that cannot be started, are told apart', async () => {
    const run = { env: ENV, timeout: 60 };
    const missing = await runProgram({ ...run, argv: ['no-such-program'] });
    expect(missing).toMatchObject({ kind: 'missing' });
    expect(fault(missing)).toMatchObject({
      reason: 'tool-missing',
      detail: expect.stringMatching(/apt-get install it/),
    });
    expect(await runProgram({ ...run, argv: ['/etc/passwd'] })).toMatchObject({ kind: 'refused' });
    expect(await runProgram({ ...run, argv: ['true'], cwd: '/no/such/folder' })).toMatchObject({
      kind: 'refused',
      detail: 'there is no folder /no/such/folder',
    });
    expect(runProgramNow({ ...run, argv: ['no-such-program'] })).toMatchObject({ kind: 'missing' });
  });

  test('that a signal ended from outside has no exit code', async () => {
    const end = await bash('echo half; kill -KILL $$');
    expect(end).toMatchObject({ kind: 'killed', signal: 'SIGKILL', stdout: 'half\n' });
    expect(fault(end)).toMatchObject({ reason: 'killed' });
  });

  test('ends with its whole group when its time is over', async () => {
    const mark = `mark-${process.pid}-timeout`;
    const end = await bash(`bash -c 'sleep 600; echo ${mark}' & echo started; wait`, { timeout: 3 });
    expect(end).toMatchObject({ kind: 'timeout', stdout: 'started\n' });
    await gone(mark);
  });

  test('is ended when it is cancelled, and not started when it was before', async () => {
    const stop = new AbortController();
    const mark = join(temporaryFolder(), 'started');
    const running = bash(`touch ${mark}; sleep 600`, { signal: stop.signal });
    await until(() => existsSync(mark));
    stop.abort();
    expect(fault(await running)).toMatchObject({ status: 'stopped', reason: 'cancelled' });
    const other = join(temporaryFolder(), 'started');
    expect(await bash(`touch ${other}`, { signal: stop.signal })).toMatchObject({ kind: 'cancelled' });
    expect(existsSync(other)).toBe(false);
  });

  test('has a while to clean up where it is given one, and no longer', async () => {
    const folder = temporaryFolder();
    const script = `trap 'touch ${folder}/cleaned' TERM; touch ${folder}/ready; while true; do sleep 0.05; done`;
    const stop = new AbortController();
    const running = bash(script, { signal: stop.signal, grace: 3 });
    await until(() => existsSync(join(folder, 'ready')));
    stop.abort();
    expect(await running).toMatchObject({ kind: 'cancelled' });
    expect(existsSync(join(folder, 'cleaned'))).toBe(true);
  });

  test('takes what it left behind with it, unless that is wanted', async () => {
    const mark = `mark-${process.pid}-left`;
    const script = `bash -c 'sleep 600; echo ${mark}' >/dev/null 2>&1 & echo done`;
    expect(await bash(script)).toMatchObject({ kind: 'exited', stdout: 'done\n' });
    await gone(mark);
    expect(await bash(script, { leavesOthers: true })).toMatchObject({ kind: 'exited' });
    // While it begins its program, it has no words.
    await until(() => running(mark).length > 0);
    process.kill(Number(running(mark)[0]), 'SIGKILL');
  });
});

describe('the complaint of a program', () => {
  test.each([
    ['echo "curl: (6) Could not resolve host: x" >&2; exit 6', 'network'],
    ['echo "tar: write error: No space left on device" >&2; exit 2', 'disk-full'],
    ['echo "no such thing" >&2; exit 1', 'source-fetch'],
    ['exit 9', 'source-fetch'],
  ])('%s is %s', async (script, reason) => {
    expect(fault(await bash(script))).toMatchObject({ status: 'infra', reason });
  });
});

describe('a program that everything waits for', () => {
  test('is told with what it printed, or why it did not come to its end', () => {
    const run = (script: string, more: object = {}) =>
      runProgramNow({ argv: ['bash', '-c', script], env: ENV, timeout: 60, ...more });
    expect(run('cat; exit 3', { input: Buffer.from('in') })).toEqual({
      kind: 'exited',
      exitCode: 3,
      stdout: Buffer.from('in'),
    });
    expect(run('kill -KILL $$')).toEqual({ kind: 'killed', signal: 'SIGKILL' });
    expect(run('exec sleep 60', { timeout: 0.2 })).toEqual({ kind: 'timeout' });
    expect(run('exec yes', { maxOutput: 1000 })).toEqual({ kind: 'overflow' });
  });
});
