/** Two environments of two recipes at the same time: what they share, and who waits for whom. */
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyProject, tinyYaml } from '../rig/tiny-project.ts';

const project = tinyProject({ instances: 2 });

/** Answers whoever says `wait` once somebody has said `go`. */
let hasBegun = false;
const waiting: Socket[] = [];
const gate = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (said) => {
    if (`${said}`.startsWith('wait')) waiting.push(socket);
    else hasBegun = true;
    if (hasBegun) for (const each of waiting.splice(0)) each.end('go on\n');
  });
});

beforeAll(() => new Promise<void>((resolve) => void gate.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  for (const each of waiting) each.destroy();
  gate.close();
});

test('an instance is validated while another’s environment is being built; both share the first steps', async () => {
  const { port } = gate.address() as AddressInfo;
  // The second installation ends once the first instance is tested. The first rule that has a key decides it.
  const rules = `  recipes:
    - match: { instance: tiny.0 }
      eval_commands: ["echo go > /dev/tcp/127.0.0.1/${port}"]
    - match: { instance: tiny.1 }
      env: { OF: another recipe }
      install: ["exec 3<>/dev/tcp/127.0.0.1/${port}; echo wait >&3; read -r said <&3"]
`;
  const yaml = tinyYaml('sandbox', '').replace('build: proxy, grade: off', 'build: host, grade: host');
  writeFileSync(project.path('p.yaml'), yaml.replace('  recipes:\n', rules));
  const end = await project.build('p.yaml', 'validate', '-j', '2');
  expect(end.outcomes).toMatchObject({ ok: 5, failed: 0, timeout: 0, infra: 0 });
  const { stdout } = await project.run('logs', 'environments.train@*', '--project', 'p.yaml');
  const count = (words: string) => stdout.split(words).length - 1;
  for (const step of ['create[0]', 'create[1]']) {
    // One of them makes it, or neither: it may be made while the rows are read.
    const own = count(`== ${step} · exit code 0`);
    expect(own).toBeLessThanOrEqual(1);
    expect(own + count(`== ${step} · made by another build of this run`)).toBe(2);
  }
}, 300_000);
