/**
 * 64 rollouts of 20 steps against one scripted endpoint that runs apart: processor time of all of our processes, from
 * the command to the last trajectory in the cache, beside mini-swe-agent's batch runner with the same prompts and the
 * same commands. Ours run in a sandbox each, the peer's all in one folder, so that it pays for no isolation; a second
 * ratio is printed beside the same runner with a Docker container for each agent, where an engine can be started.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../basics/package-root.ts';
import { tinyProject } from '../test/rig/tiny-project.ts';
import { type Served, startEndpoint } from './endpoint.ts';
import { type BenchResult, median } from './measure.ts';
import { dockerPeer, installPeer, localPeer, type PeerOptions, templatesOf } from './mini-swe-agent.ts';
import { type TreeCost, treeCostOf } from './tree-cost.ts';

const ROLLOUTS = 64;
const STEPS = 20;
const WORKERS = 16;
const ROUNDS = 3;
const PROMISE = 4;

export async function bench(print: (line: string) => void): Promise<BenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'swemake-bench-'));
  const server = await startEndpoint(folder, STEPS);
  try {
    const python = installPeer(folder, print);
    const options = { folder, url: server.url, python, rollouts: ROLLOUTS, workers: WORKERS };
    const peer = localPeer(options);
    const ours = await prepareOurs(folder, server.url, templatesOf(python));
    const [mine, theirs]: [TreeCost[], TreeCost[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      mine.push(await counted(server, () => ours(round), print));
      theirs.push(await counted(server, () => peer(round), print));
      print(`round ${round + 1}: ${figures('swemake', mine.at(-1)!)}; ${figures('mini', theirs.at(-1)!)}`);
    }
    const [own, other] = [mine, theirs].map((costs) => median(costs.map(({ cpuMs }) => cpuMs))) as [
      number,
      number,
    ];
    const ratio = other / own;
    print(`beside mini-swe-agent without isolation: ${ratio.toFixed(1)} ×`);
    await besideDocker(own, options, server, print);
    return { name: 'rollouts', ours: own, peer: other, ratio, promise: PROMISE, holds: ratio >= PROMISE };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function figures(name: string, { cpuMs, wallMs }: TreeCost): string {
  return `${name} ${(cpuMs / 1000).toFixed(2)} s of the processor, ${(wallMs / 1000).toFixed(1)} s`;
}

/** The second ratio; a reason why there is none is printed and no failure. */
async function besideDocker(
  own: number,
  options: PeerOptions,
  server: Served,
  print: (line: string) => void,
): Promise<void> {
  try {
    const cost = await dockerPeer(options, (run) => counted(server, run, print));
    print(`${figures('mini with Docker', cost)}: ${(cost.cpuMs / own).toFixed(1)} ×`);
  } catch (error) {
    print(`no ratio beside mini-swe-agent with Docker: ${(error as Error).message}`);
  }
}

/** What `run` costs. It must have made every request; a client may have asked again for one that it lost. */
async function counted(
  server: Served,
  run: () => Promise<TreeCost>,
  print: (line: string) => void,
): Promise<TreeCost> {
  const before = await server.requests();
  const cost = await run();
  const made = (await server.requests()) - before;
  if (made < ROLLOUTS * STEPS) throw new Error(`${made} requests in place of ${ROLLOUTS * STEPS}`);
  if (made > ROLLOUTS * STEPS) print(`${made - ROLLOUTS * STEPS} requests were made again`);
  return cost;
}

async function prepareOurs(
  folder: string,
  url: string,
  templates: string,
): Promise<(round: number) => Promise<TreeCost>> {
  const project = tinyProject({ folder: join(folder, 'ours'), instances: 1 });
  const yaml = `${readFileSync(project.path('p.yaml'), 'utf8')}
resources: { rollout: ${WORKERS} }
agent:
  rollouts: ${ROLLOUTS}
  model: { base_url: "${url}", name: scripted, identity: scripted@1, concurrency: ${WORKERS} }
  templates: { from: "${templates}" }
`;
  writeFileSync(project.path('p.yaml'), yaml);
  const bin = join(packageRoot(), 'bin/swemake.js');
  const options = { cwd: project.folder, env: { XDG_CACHE_HOME: join(folder, 'home-cache') } };
  const run = (...args: string[]) =>
    treeCostOf(process.execPath, [bin, 'build', 'p.yaml', ...args, '--json'], options);
  await run('filter.train');
  return async (round) => {
    const cost = await run('rollouts.train', '--set', `agent.seed=${round}`);
    if (!cost.stdout.includes(`"executed":${ROLLOUTS},`)) throw new Error(cost.stdout.slice(-500));
    return cost;
  };
}
