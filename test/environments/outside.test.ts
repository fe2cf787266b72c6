/** What comes from outside of a build (the network, the host) and is no answer of the recipe, and what only looks like it. */
import { describe, expect, test } from 'vitest';
import type { ExecResult, NetworkSeen } from '../../executors/deployment.ts';
import { ConnectionLog } from '../../executors/proxy/connection-log.ts';
import {
  isOwnLimit,
  networkFault,
  networkStall,
  refusal,
  unproxied,
} from '../../stages/environments/outside.ts';
import { tellingLine } from '../../stages/environments/steps.ts';

const UNREACHED = [
  "fatal: unable to access 'https://x.org/a/': Failed to connect to x.org port 443 after 3 ms: Couldn't connect to server",
  "fatal: unable to access 'https://x.org/a/': Received HTTP code 502 from proxy after CONNECT",
  'requests.exceptions.ConnectionError: [Errno 111] Connection refused',
  'curl: (6) Could not resolve host: x.org',
  'npm error network request to https://x.org/a failed, reason: getaddrinfo EAI_AGAIN x.org',
  'go: example.com/m@v1.0.0: Get "http://x.org/m": dial tcp 127.0.0.1:9: connect: connection refused',
  '[ERROR] Could not transfer artifact a:b:pom:1 from/to x (http://x.org/): x.org: Unknown host x.org',
];
const CUT_OFF = [
  "fatal: unable to access 'https://x.org/a/': The requested URL returned error: 503",
  'error: RPC failed; curl 56 GnuTLS recv error (-9): Error decoding the received TLS packet.',
  'fatal: early EOF',
  'curl: (52) Empty reply from server',
  'curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received',
  '2026-01-01 00:00:00 ERROR 503: Service Unavailable.',
  'urllib3.exceptions.IncompleteRead: IncompleteRead(10 bytes read, 5 more expected)',
  'TimeoutError: The read operation timed out',
  'error: failed to get successful HTTP response from `https://x.org/a` (10.0.0.1), got 502',
  'Could not transfer artifact a:b:pom:1 from/to x (http://x.org/): status code: 502, reason phrase: Bad Gateway (502)',
];
const TASKS = [
  "fatal: unable to access 'https://x.org/a/': The requested URL returned error: 404",
  'curl: (22) The requested URL returned error: 403',
  '2026-01-01 00:00:00 ERROR 404: Not Found.',
  'E   TimeoutError: the answer took too long',
];
const NOTHING: NetworkSeen = { lost: null, passed: false, isOver: false, refused: [] };
const PASSED: NetworkSeen = { ...NOTHING, passed: true };
const LOST: NetworkSeen = { ...PASSED, lost: 'pypi.org:443: no answer' };

describe('the network', () => {
  test('a tunnel that the build proxy refused is no lost connection', () => {
    const line =
      'warning: spurious network error: [56] Failure when receiving data from the peer (CONNECT tunnel failed, response 403); class=Net (12)';
    const refused = { ...PASSED, refused: ['github.com'] };
    expect(networkFault(line, refused)).toBeNull();
    expect(refusal('cargo fetch', line, refused)).toContain('the build proxy refused github.com');
    // Where the proxy refused nothing, another one did.
    expect(networkFault(line, PASSED)).toBe(line);
    expect(networkFault(`${line}\ncurl: (52) Empty reply from server`, refused)).toContain('Empty reply');
  });

  test.each([
    'npm error network request to https://x.org/a failed, reason: getaddrinfo EAI_AGAIN x.org',
    '  cause: Error: getaddrinfo ENOTFOUND x.org',
    'dial tcp: lookup x.org on 127.0.0.53:53: no such host',
    'Caused by: java.net.UnknownHostException: x.org',
    "Failed to resolve 'x.org' ([Errno -3] Temporary failure in name resolution)",
    'wget: unable to resolve host address ‘x.org’',
  ])('a name that a program looked up past the proxy is told: %s', (line) => {
    expect(unproxied(`before\n${line}`, PASSED)).toMatch(
      /^a program asked for x\.org past the build proxy.*pre_install/,
    );
    expect(unproxied(line, null)).toBe('');
  });

  test('a lookup that names no host is told, and names of this machine are not', () => {
    expect(unproxied('socket.gaierror: [Errno -3]', PASSED)).toContain('asked for a host past');
    expect(unproxied('getaddrinfo ENOTFOUND localhost', PASSED)).toBe('');
  });

  test.each([...UNREACHED, ...CUT_OFF])('without a proxy words decide: %s', (line) => {
    expect(networkFault(`before\n${line}\nafter`, null)).toBe(line.trim());
  });

  test.each(UNREACHED)('a proxy that lost nothing knows better: %s', (line) => {
    expect(networkFault(line, NOTHING)).toBeNull();
    expect(networkFault(line, PASSED)).toBeNull();
  });

  test.each(CUT_OFF)('over a connection that it passed it cannot know: %s', (line) => {
    expect(networkFault(line, NOTHING)).toBeNull();
    expect(networkFault(line, PASSED)).toBe(line.trim());
  });

  test.each(TASKS)('never was it: %s', (line) => {
    for (const seen of [null, NOTHING, PASSED]) expect(networkFault(line, seen)).toBeNull();
  });

  test('what the proxy lost counts, whatever is said', () => {
    expect(networkFault('ERROR: No matching distribution found', LOST)).toMatch(/pypi\.org:443: no answer/);
  });

  test('what a step got over is not what it waited for', () => {
    const over = { ...LOST, isOver: true };
    expect(networkStall('', over)).toBeNull();
    expect(networkStall('', LOST)).not.toBeNull();
    const words = 'Could not resolve host: x.org';
    expect(networkStall(words, null)).toBe(words);
    expect(networkStall(`${words}\n1\n2\n3\n4`, null)).toBeNull();
  });

  test('is seen from a moment on', () => {
    const connections = new ConnectionLog();
    connections.lost('a:1: refused');
    const later = performance.now() + 0.001;
    expect(connections.since(0)).toEqual({ ...NOTHING, lost: 'a:1: refused' });
    while (performance.now() <= later);
    expect(connections.since(later)).toEqual(NOTHING);
    connections.passed();
    expect(connections.since(later)).toEqual(PASSED);
    expect(connections.since(0)).toMatchObject({ lost: 'a:1: refused', isOver: true });
  });

  test('a host that the proxy refused is named with the key, if the step speaks of it', () => {
    const seen = { ...NOTHING, refused: ['other.org', 'www.qhull.org'] };
    expect(refusal('wget http://www.qhull.org/q.tgz', 'ERROR 4', seen)).toBe(
      'the build proxy refused www.qhull.org; allow_hosts of the deployment would let it through',
    );
    // Downloads of a setup.py do not say from where.
    const said = refusal(
      'pip install .',
      'urllib.error.URLError: Tunnel connection failed: 403 Forbidden',
      seen,
    );
    expect(said).toContain('other.org, www.qhull.org');
    expect(refusal('pip install .', 'error: command gcc failed', seen)).toBe('');
    expect(refusal('wget x', '403 Forbidden', null)).toBe('');
  });
});

describe('memory', () => {
  const ran = (output: string, more: Partial<ExecResult> = {}): ExecResult => ({
    ...{ exitCode: 1, exitSignal: null, stdout: '', stderr: '', output },
    ...{ timedOut: false, truncated: false, durationMs: 1, ...more },
  });

  test('where the kernel does not count, a host with more than the limit refused nothing', () => {
    expect(isOwnLimit(ran(''), 2 ** 30, () => 2 ** 31)).toBe(true);
    expect(isOwnLimit(ran(''), 2 ** 30, () => 2 ** 29)).toBe(false);
    expect(isOwnLimit(ran(''), undefined, () => 2 ** 31)).toBe(false);
    expect(isOwnLimit(ran('', { metMemoryLimit: false }), 2 ** 30, () => 2 ** 31)).toBe(false);
  });
});

describe('the line that tells why a step failed', () => {
  test.each([
    [
      'Maven, which says last how to go on',
      '[INFO] x\n[ERROR] Failed to execute goal a:b: Source option 6 is no longer supported\n[ERROR] \n[ERROR]   mvn <args> -rf :gson',
      '[ERROR] Failed to execute goal a:b: Source option 6 is no longer supported',
    ],
    [
      'Maven, of a pom that it cannot read',
      '[ERROR] [ERROR] Some problems were encountered while processing the POMs:\n[FATAL] Non-resolvable parent POM for a:b:1: Could not find artifact c:d:pom:2\n @ \n[ERROR] The build could not read 1 project -> [Help 1]\n[ERROR]   \n[ERROR]   The project a:b:1 (/testbed/pom.xml) has 1 error\n[ERROR] [Help 2] http://example.com/MAVEN/UnresolvableModelException',
      '[FATAL] Non-resolvable parent POM for a:b:1: Could not find artifact c:d:pom:2',
    ],
    [
      'Maven, of an argument',
      '[INFO] x\n[ERROR] Could not find the selected project in the reactor: z @ \n[ERROR] \n[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.\n[ERROR] [Help 1] http://example.com/MAVEN/MavenExecutionException',
      '[ERROR] Could not find the selected project in the reactor: z @',
    ],
    [
      'npm, which names its own log last',
      'npm error code E404\nnpm error 404 Not Found - GET http://x/a\nnpm error A complete log of this run can be found in: /tmp/a',
      'npm error 404 Not Found - GET http://x/a',
    ],
    [
      'a later Yarn, which counts the errors and says last how long it took',
      "➤ YN0002: │ a@workspace:. doesn't provide b\n➤ YN0035: │ c@npm:0.9.0: The remote server failed to provide the requested resource\n➤ YN0000: Failed with errors in 2m 21s",
      '➤ YN0035: │ c@npm:0.9.0: The remote server failed to provide the requested resource',
    ],
    [
      'pnpm, which says last how to go on',
      ' ERR_PNPM_FETCH_404  GET http://x/a: Not Found - 404\n\nThis error happened while installing a\n\na is not in the npm registry',
      'ERR_PNPM_FETCH_404  GET http://x/a: Not Found - 404',
    ],
    [
      'pip, which says last that something failed',
      'ERROR: no a\nerror: subprocess-exited-with-error\nhint: see above',
      'ERROR: no a',
    ],
    [
      'what a build raised, which pip quotes',
      "  ImportError: cannot import name 'Mapping' from 'collections'\n  [end of output]\nerror: metadata-generation-failed\nhint: See above for details.",
      "ImportError: cannot import name 'Mapping' from 'collections'",
    ],
    [
      'a compiler',
      "x.c\nerror: command 'gcc' failed: No such file or directory\n  ERROR: Failed building wheel for a\nERROR: Could not build wheels for a",
      "error: command 'gcc' failed: No such file or directory",
    ],
    [
      'pins that contradict each other',
      'ERROR: Cannot install a and b because these package versions have conflicting dependencies.\nERROR: ResolutionImpossible: for help visit',
      'ERROR: Cannot install a and b because these package versions have conflicting dependencies.',
    ],
    [
      'pip before 22, whose last line is a command',
      [
        '  ERROR: Command errored out with exit status 1:',
        '   command: /opt/env/bin/python /opt/env/pip install --prefix /tmp/overlay',
        '  ERROR: No matching distribution found for setuptools>=64',
        '  ----------------------------------------',
        'ERROR: Command errored out with exit status 1: /opt/env/bin/python /opt/env/pip install Check the logs for full command output.',
      ].join('\n'),
      'ERROR: No matching distribution found for setuptools>=64',
    ],
    ['any other', 'one\ntwo\n', 'two'],
  ])('%s', (_, output, line) => expect(tellingLine(output)).toBe(line));
});
