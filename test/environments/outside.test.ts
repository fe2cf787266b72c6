/** What comes from outside of a build (the network, the host) and is no answer of the recipe. */
import { expect, test } from 'vitest';
import { networkFault } from '../../stages/environments/steps.ts';
import { tinyProject } from '../rig/tiny-project.ts';

test.each([
  "fatal: unable to access 'https://x.org/a/': Failed to connect to x.org port 443 after 3 ms: Couldn't connect to server",
  "fatal: unable to access 'https://x.org/a/': The requested URL returned error: 503",
  "fatal: unable to access 'https://x.org/a/': Received HTTP code 502 from proxy after CONNECT",
  'error: RPC failed; curl 56 GnuTLS recv error (-9): Error decoding the received TLS packet.',
  'fatal: early EOF',
  'curl: (52) Empty reply from server',
  'curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received',
  '2026-01-01 00:00:00 ERROR 503: Service Unavailable.',
  'urllib3.exceptions.IncompleteRead: IncompleteRead(10 bytes read, 5 more expected)',
  'TimeoutError: The read operation timed out',
])('the network: %s', (line) => {
  expect(networkFault(`before\n${line}\nafter`)).toBe(line.trim());
});

test.each([
  "fatal: unable to access 'https://x.org/a/': The requested URL returned error: 404",
  'curl: (22) The requested URL returned error: 403',
  '2026-01-01 00:00:00 ERROR 404: Not Found.',
  'E   TimeoutError: the answer took too long',
])('not the network: %s', (line) => {
  expect(networkFault(line)).toBeNull();
});

const BUILD = { timeout: 240_000 };
const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };

async function outcomeOf(recipe: string, env: Record<string, string> = {}, network = 'proxy') {
  const project = tinyProject({ instances: 1, recipe, env: { ...ENV, ...env } });
  await project.run(
    'build',
    'p.yaml',
    'environments.train',
    '--set',
    `deployments.box.network.build=${network}`,
  );
  const ends = project.events().filter((event) => event.type === 'item-finished');
  return ends.find((event) => String(event.stage).startsWith('environments'))!.outcome;
}

const LIMIT = '      timeout: 10\n';

test('a step that waits for the network until the recipe’s time is over', BUILD, async () => {
  const waits = "echo 'Could not resolve host: x.org'; sleep 60";
  const recipe = `${LIMIT}      pre_install: [${JSON.stringify(waits)}]\n`;
  expect(await outcomeOf(recipe)).toMatchObject({ status: 'infra', reason: 'network' });
  // Without a network it has nothing to wait for.
  expect(await outcomeOf(recipe, {}, 'off')).toMatchObject({ status: 'timeout' });
});

test('a step that was over the network’s faults and took too long by itself', BUILD, async () => {
  const works = "echo 'Could not resolve host: x.org'; for i in 1 2 3 4; do echo $i; done; sleep 60";
  expect(await outcomeOf(`${LIMIT}      pre_install: [${JSON.stringify(works)}]\n`)).toMatchObject({
    status: 'timeout',
  });
});

test('a step that the host ended', BUILD, async () => {
  const recipe = "      pre_install: ['kill -9 $$']\n";
  expect(await outcomeOf(recipe)).toMatchObject({ status: 'infra', reason: 'killed' });
});
