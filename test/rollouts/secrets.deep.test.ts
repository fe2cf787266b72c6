/** Secrets of a model: the endpoint gets them, and nothing that is kept does. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createSecrets } from '../../contract/secrets.ts';
import { startModelServer } from '../rig/model-server.ts';
import { rolloutProject } from '../rig/rollout-project.ts';
import { solve } from '../rig/solver.ts';

test.each(['EMPTY', 'none', 'x'])(
  '"%s" for a server that wants no key is none, and stays in what a model writes',
  (value) => {
    const secrets = createSecrets(new Map([['${secret:KEY}', 'KEY']]), { KEY: value });
    const text = `${value}_VALUES = (${value},)`;
    expect(secrets.redact(text)).toBe(text);
  },
);

test('in the key and, however deep, in further parameters', async () => {
  const token = 'ca"nary\\0815-of-the-body';
  const key = 'canary-4711-of-the-header';
  const server = await startModelServer(solve, { apiKey: key });
  const project = rolloutProject({
    url: server.url,
    instances: 1,
    model: 'api_key: "${secret:MODEL_KEY}", extra: { account: { tokens: [1, "x ${secret:ACCOUNT}"] } }',
    env: { MODEL_KEY: key, ACCOUNT: token, PATH: '/usr/local/bin:/usr/bin:/bin' },
  });
  expect(await project.build('p.yaml', 'rollouts')).toMatchObject({ code: 0, outcomes: { infra: 0 } });
  await server.stop();
  expect(server.requests.length).toBeGreaterThan(0);
  for (const { body } of server.requests) expect(body.account).toEqual({ tokens: [1, `x ${token}`] });
  for (const part of ['nary\\\\0815', '0815-of-the-body', 'canary-4711']) {
    const found = execFileSync('bash', ['-c', `grep -rlaF -e "$0" . || true`, part], { cwd: project.folder });
    expect([part, found.toString()]).toEqual([part, '']);
  }
});
