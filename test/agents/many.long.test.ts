/**
 * Many rollouts of an agent from elsewhere at once, with a model that answers from a script. In the middle swemake is killed, and then
 * the endpoint fails for a while. No rollout is lost, no reply is in two of them, and no more agents are at work than `resources` allows,
 * by their number or by their memory.
 * It prints steps a second and the memory of an agent. AGENTS_MANY: rollouts of codex (128); opencode has an eighth of them.
 * AGENTS_STEPS: steps of a rollout (10). AGENTS_DOWN: seconds that the endpoint fails (60).
 */
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type ModelServer, type ServedRequest, startModelServer } from '../rig/model-server.ts';
import { tinyProject } from '../rig/tiny-project.ts';
import { until } from '../rig/until.ts';
import { solve } from './solver.ts';

const MANY = Number(process.env.AGENTS_MANY ?? 128);
const STEPS = Number(process.env.AGENTS_STEPS ?? 10);
const DOWN = Number(process.env.AGENTS_DOWN ?? 60);
const INSTANCES = 4;

const OPENCODE = { agent: 'opencode', program: /\/opencode(\.exe)?$/, count: MANY / 8, places: MANY / 8 };

/** `memory`: GiB for all agents, each with a limit of one; null: not bounded. */
const TRIED = [
  { agent: 'codex', program: /\/bin\/codex$/, count: MANY, places: MANY, memory: null },
  { ...OPENCODE, memory: MANY / 8 },
  { ...OPENCODE, memory: Math.ceil(MANY / 32) },
];

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer([], { models: [{ id: 'policy', max_model_len: 131_072 }] });
});
afterAll(() => server.stop());

/** Proportional memory of the program's processes in each workspace, in bytes. */
function memoryOf(program: RegExp): number[] {
  const byWorkspace = new Map<string, number>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!program.test(readlinkSync(`/proc/${pid}/exe`))) continue;
      const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))![1];
      const place = readlinkSync(`/proc/${pid}/ns/pid`);
      byWorkspace.set(place, (byWorkspace.get(place) ?? 0) + Number(pss) * 1024);
    } catch {
      // It has ended.
    }
  }
  return [...byWorkspace.values()];
}

const MIB = 2 ** 20;
const GIB = 2 ** 30;

test.each(TRIED)('$agent, $places at once, $memory GiB', { timeout: 3_600_000 }, async (tried) => {
  const { agent, program, count, places, memory } = tried;
  const most = Math.min(places, memory ?? places);
  const deployment = memory === null ? {} : { deployment: '    limits: { memory: 1GiB }\n' };
  const project = tinyProject({ instances: INSTANCES, ...deployment });
  appendFileSync(
    project.path('p.yaml'),
    `agent: { type: ${agent}, model: { base_url: "${server.url}", name: policy, identity: "policy@1", concurrency: 256, max_tokens: 4096 }, rollouts: ${count / INSTANCES} }
resources: { rollout: ${places}, sandbox: ${places}${memory === null ? '' : `, memory: ${memory}GiB`} }
`,
  );
  const installed = await project.build('p.yaml', 'agents');
  expect(installed.outcomes.ok).toBeGreaterThan(0);
  let replies = 0;
  let began = 0;
  // Each reply says its own number.
  const answer = (request: ServedRequest) => {
    const reply = solve(request, STEPS - 2);
    if (replies === 0) began = performance.now();
    return { ...reply, text: `${reply.text ?? ''} reply ${replies++}.` };
  };
  server.play(answer);
  const peak = { workspaces: 0, most: 0, all: 0 };
  const watch = setInterval(() => {
    const sizes = memoryOf(program);
    peak.workspaces = Math.max(peak.workspaces, sizes.length);
    peak.most = Math.max(peak.most, ...sizes);
    peak.all = Math.max(
      peak.all,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }, 500);
  const first = project.start(['build', 'p.yaml', 'rollouts']);
  const ended = once(first, 'exit');
  await until(() => replies >= (count * STEPS) / 2, 1_800_000);
  const rate = replies / ((performance.now() - began) / 1000);
  process.kill(-first.pid!, 'SIGKILL');
  await ended;
  server.play(() => ({ status: 503, body: { error: { message: 'loading' } } }));
  setTimeout(() => server.play(answer), DOWN * 1000);
  const asked = replies;
  const since = performance.now();
  const end = await project.build('p.yaml', 'rollouts');
  const seconds = (performance.now() - since) / 1000;
  clearInterval(watch);
  expect(end).toMatchObject({ code: 0, outcomes: { infra: 0, failed: 0 } });
  const viewed = await project.run('view', 'rollouts.train@*', '--project', 'p.yaml', '--json');
  const trajectories = viewed.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { trajectory: Trajectory }).trajectory);
  expect(trajectories).toHaveLength(count);
  const numbers = trajectories.flatMap(({ messages }) =>
    messages.flatMap(({ kind, content }) => (kind === 'reply' ? [/reply (\d+)\./.exec(content)![1]] : [])),
  );
  expect(new Set(numbers).size).toBe(numbers.length);
  for (const { exit_status, patch, calls } of trajectories) {
    expect(exit_status).toBe('submitted');
    expect(patch).toContain('+VALUE = ');
    expect(calls.every(({ reply }) => reply !== null)).toBe(true);
  }
  expect(peak.workspaces).toBeGreaterThan(0);
  expect(peak.workspaces).toBeLessThanOrEqual(most);
  if (memory !== null) expect(peak.all).toBeLessThanOrEqual(memory * GIB);
  console.log(
    `${agent}: ${count} rollouts, ${most} at once, ${peak.workspaces} seen at work; ${numbers.length} steps kept of ${replies} replies; ` +
      `${rate.toFixed(1)} steps a second before the kill; after it ${replies - asked} in ${Math.round(seconds)} s, of which the endpoint failed ${DOWN}; ` +
      `memory of an agent up to ${Math.round(peak.most / MIB)} MiB, of all ${Math.round(peak.all / MIB)} MiB`,
  );
});
