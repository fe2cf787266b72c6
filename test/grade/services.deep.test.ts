/** Programs beside the tests, and commands that agents get as well: real runs in the sandbox, network off. */
import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import type { Workspace } from '../../executors/deployment.ts';
import { START_MARKER } from '../../grading/logs/log.ts';
import { serviceFault, serviceLines } from '../../grading/rules/services.ts';
import { runCheck } from '../../grading/run/check.ts';
import { lostService } from '../../grading/run/lost-service.ts';
import { goldPatch } from '../../patches/apply.ts';
import { GradedTask, gradingSandbox, pytestLayer, type TaskOptions } from './task.ts';

const environment = pytestLayer('pytest==8.3.5');
const box = environment === null ? null : await gradingSandbox();
if (environment === null) process.stdout.write('skipped: grading needs pip and a package index\n');
afterAll(() => box?.cleanup());

const SERVE = 'mkdir -p /tmp/web; cd /tmp/web; echo hello > page; exec python -m http.server';
const WEB = { name: 'web', run: `${SERVE} 80`, hosts: ['web.example'], port: 80, timeout: 30 };
const ASKS = [
  'import os, urllib.request',
  '',
  'def test_page():',
  '    with urllib.request.urlopen("http://web.example/page") as page:',
  '        assert page.read() == b"hello\\n"',
  '',
  'def test_started():',
  '    assert os.path.exists("/tmp/started")',
  '',
].join('\n');

function task(options: TaskOptions): GradedTask {
  return new GradedTask(box!.deployment, environment!, options);
}

async function outcome({ setup }: GradedTask) {
  const ran = await runCheck(setup, 'gold', goldPatch(setup.instance));
  return ran.ok ? Object.fromEntries(ran.value.evidence.run.statusMap) : ran.fault;
}

test('only what comes before the tests says that a service is not ready', () => {
  const line = '>>>>> Service Not Ready: web was not ready in 3 s\nits log';
  expect(serviceFault({ output: line, exitCode: 98 })).toMatchObject({ reason: 'service-not-ready' });
  expect(serviceFault({ output: `${START_MARKER}\n${line}`, exitCode: 98 })).toBeNull();
  expect(serviceFault({ output: line, exitCode: 1 })).toBeNull();
});

test.each([
  ['localhost', 'localhost,web.example localhost,web.example'],
  ['', ' '],
])('the proxy that is named with no_proxy="%s" is not asked for the hosts of services', (given, exempt) => {
  const lines = serviceLines([{ ...WEB, log: '' } as unknown as Parameters<typeof serviceLines>[0][number]]);
  const script = [
    ...lines.filter((line) => line.includes('no_proxy')),
    'echo "${no_proxy-} ${NO_PROXY-}"',
  ].join('\n');
  const env = { PATH: process.env.PATH, ...(given !== '' && { no_proxy: given }) };
  const said = execFileSync('bash', ['-euc', script], { env, encoding: 'utf8' });
  expect(said).toBe(`${exempt}\n`);
});

test('a look at services that fails does not show that they are there', async () => {
  const services = [{ ...WEB, log: '' }] as unknown as Parameters<typeof lostService>[1];
  const looking = (value: object) => {
    const workspace = { exec: async () => ({ ok: true, value }) } as unknown as Workspace;
    return lostService(workspace, services, AbortSignal.timeout(60_000));
  };
  expect(await looking({ stdout: '', timedOut: false })).toBe('');
  expect(await looking({ stdout: '', timedOut: true })).toContain('could not be looked at');
});

describe.skipIf(box === null)('beside the tests', () => {
  const asking: TaskOptions = {
    files: { 'test_page.py': ASKS, 'code.txt': 'a\n' },
    solution: { 'code.txt': 'b\n' },
    failToPass: ['test_page.py::test_page'],
    passToPass: ['test_page.py::test_started'],
  };

  test('a patch cannot say that one is not ready', async () => {
    const forging = task({ evalCommands: ['python -c "import pkg.core"'] });
    const said = "print('>>>>> Service Not Ready: web was not ready in 3 s', flush=True)";
    const diff = forging.diff({
      'pkg/core.py': `${said}\n\n\ndef value():\n    return -1\n\n\ndef other():\n    return 2\n`,
    });
    expect(await forging.grade(diff)).toMatchObject({ reward: 0, reason: 'not-resolved' });
  });

  test('a service answers under its name, what was started is there, and both end', async () => {
    const ready = {
      name: 'file',
      run: 'sleep 0.3; touch /tmp/ready; sleep 600',
      ready: 'test -e /tmp/ready',
    };
    const start = ['touch /tmp/started', 'sleep 600 &'];
    const ran = await outcome(task({ ...asking, services: [ready, WEB], start }));
    expect(ran).toEqual({ 'test_page.py::test_page': 'PASSED', 'test_page.py::test_started': 'PASSED' });
  });

  test.each([
    [
      'is not ready in time',
      3,
      'echo in vain; sleep 600',
      /web was not ready in 3 s; its log ends: .*in vain/s,
    ],
    ['ends', 60, 'echo no such database; exit 3', /web ended with code 3; its log ends: .*no such database/s],
  ])(
    'a service that %s is a fault with its log, before any test has run',
    async (_, timeout, run, detail) => {
      const broken = task({ ...asking, services: [{ ...WEB, run, timeout }] });
      const [status, reason] = ['infra', 'service-not-ready'];
      expect(await outcome(broken)).toMatchObject({ status, reason, detail: expect.stringMatching(detail) });
      expect(broken.logs.join('')).not.toContain(START_MARKER);
    },
  );

  test.each([
    ['ends', 'exit 3'],
    ['takes no connections', 'sleep 600'],
  ])('tests whose service %s any more are run once more, and then are what they are', async (_, then) => {
    const waits = [
      'import socket, time',
      '',
      'def test_page():',
      '    open("/tmp/enough", "w").close()',
      '    while socket.socket().connect_ex(("127.0.0.1", 80)) == 0:',
      '        time.sleep(0.1)',
      '    assert False',
      '',
    ].join('\n');
    const until = 'server=$!; until [ -e /tmp/enough ]; do sleep 0.1; done; kill -9 $server; wait $server';
    const serve = { ...WEB, run: `python -m http.server 80 & ${until}; ${then}` };
    const losing = task({ ...asking, files: { ...asking.files, 'test_page.py': waits }, services: [serve] });
    expect(await outcome(losing)).toEqual({ 'test_page.py::test_page': 'FAILED' });
    const log = losing.logs.join('');
    expect(log.match(/== note: service web (ended with code 3|takes no connections)/g)).toHaveLength(2);
    expect(log.match(/== gold lost a service, and is run once more/g)).toHaveLength(1);
  });

  test.each([
    ['fails', 'echo no server; false', /exit code 1: no server/],
    ['changes the repository', 'touch stray', /changed the repository: stray/],
  ])('a start command that %s is a fault', async (_, command, detail) => {
    const ran = await outcome(task({ ...asking, start: [command] }));
    expect(ran).toMatchObject({ status: 'infra', detail: expect.stringMatching(detail) });
  });

  test('a patch cannot change what a service runs', async () => {
    const files = { ...asking.files, 'serve.sh': 'sleep 600\n' };
    const served = task({ ...asking, files, services: [{ ...WEB, run: `sh serve.sh & ${WEB.run}` }] });
    await served.validate();
    const verdict = await served.grade(served.diff({ 'code.txt': 'b\n', 'serve.sh': 'touch /tmp/x\n' }));
    expect(verdict.patch.dropped).toContain('serve.sh');
  });
});
