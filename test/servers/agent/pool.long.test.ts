/**
 * Two agent servers of one project, whose workspaces are leases of a pool over two node servers: all processes of their own.
 * While twelve rollouts are under way an agent server and a node are killed. Whoever asked turns to the other server with the
 * same ids, as the Python hooks do: nothing is lost, and nothing is made or counted twice. By hand, since a Debian release is
 * installed for it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../../basics/package-root.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../../rig/model-server.ts';
import type { Project } from '../../rig/project.ts';
import { SUBMIT } from '../../rig/solver.ts';
import { tinyProject } from '../../rig/tiny-project.ts';
import { ask as askServer } from '../rig.ts';

const fence = (command: string) => `THOUGHT: go on\n\n\`\`\`mswea_bash_command\n${command}\n\`\`\``;
const FIX = "sed -i 's/VALUE = .*/VALUE = 0/' m0.py";
const ROLLOUTS = 12;
const BIN = `${packageRoot()}/bin/swemake.js`;

const why = spawnSync('mmdebstrap', ['--version']).status === 0 ? null : 'there is no mmdebstrap';
if (why !== null) console.warn(`skipped: ${why}`);

interface Server {
  child: ChildProcess;
  url: string;
}

let project: Project;
let model: ModelServer;
let nodes: Server[] = [];
let pool: Server | null = null;
let agents: Server[] = [];

beforeAll(async () => {
  if (why !== null) return;
  project = tinyProject({ instances: 1 });
  model = await startModelServer(slowly);
  nodes = await Promise.all(['node1', 'node2'].map((name) => serve('node', '--folder', project.path(name))));
  const named = nodes.flatMap(({ url }) => ['--node', url]);
  pool = await serve('pool', '--folder', project.path('pool'), '--lease-ttl', '30s', ...named);
  const yaml = readFileSync(project.path('p.yaml'), 'utf8');
  writeFileSync(
    project.path('p.yaml'),
    yaml.replace(
      /deployments:\n[\s\S]*validation: .*/,
      `deployments:\n  box: { type: pool, url: "${pool.url}", base: "debian:bookworm", network: { build: host, rollout: off, grade: off } }\nvalidation: { deployment: box, timeout: 120s }`,
    ),
  );
  appendFileSync(
    project.path('p.yaml'),
    `agent:\n  limits: { steps: 4 }\n  model: { base_url: "${model.url}", name: m, identity: "m@1", retry: 30s }\n`,
  );
  await project.build('p.yaml', 'validate');
  agents = [await serve('agent', 'p.yaml'), await serve('agent', 'p.yaml')];
}, 1_800_000);

afterAll(async () => {
  for (const { child } of [...agents, ...(pool === null ? [] : [pool]), ...nodes])
    await end(child, 'SIGTERM');
  if (why === null) await model.stop();
});

async function slowly({ body }: ServedRequest) {
  const turn = body.messages.filter(({ role }) => role === 'assistant').length;
  await sleep(1500);
  return { text: fence(turn === 0 ? FIX : SUBMIT) };
}

function serve(what: string, ...rest: string[]): Promise<Server> {
  const args = [BIN, 'serve', what, ...rest, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, args, { cwd: project.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    const hear = (text: string) => {
      said += text;
      const [url] = /https?:\/\/127\.0\.0\.1:\d+/.exec(said) ?? [];
      if (url !== undefined) resolve({ child, url });
    };
    child.stdout!.setEncoding('utf8').on('data', hear);
    child.stderr!.setEncoding('utf8').on('data', hear);
    child.once('close', () => reject(new Error(said)));
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const closed = new Promise((resolve) => child.once('close', resolve));
  child.kill(signal);
  return closed;
}

interface Answer {
  id: string;
  reward: number | null;
  patch: string;
}

/** Asks the server that the id belongs to, then the other one, until there is a verdict. */
async function ask(index: number): Promise<Answer> {
  const id = `training/${index}`;
  for (let turn = index; ; turn += 1) {
    const body = { id, sample: String(index), instance_id: 'tiny.0', step: 1 };
    const answer = await askServer(agents[turn % 2]!.url, '/run', body)
      .then((reply) => reply.body as Answer)
      .catch(() => null);
    if (answer !== null && answer.reward !== null) return answer;
    await sleep(500);
  }
}

test.skipIf(why !== null)(
  'a server and a node that are killed lose no rollout, and none is made twice',
  async () => {
    const asking = Promise.all(Array.from({ length: ROLLOUTS }, (_, index) => ask(index)));
    const kept = () => {
      try {
        return readdirSync(project.path('out/tiny/episodes/step-1')).filter((name) => name.endsWith('.json'));
      } catch {
        return [];
      }
    };
    const before = model.requests.length;
    while (model.requests.length < before + 6) await sleep(50);
    await end(agents[0]!.child, 'SIGKILL');
    await end(nodes[0]!.child, 'SIGKILL');
    const answers = await asking;
    expect(answers.map(({ reward }) => reward)).toEqual(answers.map(() => 1));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(ROLLOUTS);
    expect(kept()).toHaveLength(ROLLOUTS);
    // Asked for again they are the same ones.
    const made = model.requests.length;
    agents[0] = await serve('agent', 'p.yaml');
    const again = await Promise.all(Array.from({ length: ROLLOUTS }, (_, index) => ask(index)));
    expect(again.map(({ patch }) => patch)).toEqual(answers.map(({ patch }) => patch));
    expect(model.requests).toHaveLength(made);
    const steps = (await askServer(agents[1]!.url, '/steps/1')).body;
    console.log(`${ROLLOUTS} rollouts, ${made} requests, ${JSON.stringify(steps)}`);
  },
  600_000,
);
