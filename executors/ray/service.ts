/**
 * A Ray cluster through its Jobs API. An id that it already knows is reported as a status 500 with text, and a job
 * may wait for ever for resources that no machine has.
 */

import { Agent } from 'undici';
import { jsonObject } from '../../basics/json.ts';
import type { Amounts, Job, JobService, JobState, Machine } from '../job-service.ts';
import type { Probe } from '../kind.ts';

/** Milliseconds for one answer. */
const TIMEOUT = 20_000;
/** Machines that are asked for. */
const MAX_MACHINES = 10_000;
/** Characters kept of what a job printed. */
const TAIL = 2000;

interface Answer {
  status: number;
  text: string;
}

/** The service, and what only `doctor` asks. */
export interface RayService extends JobService {
  version(): Promise<{ version: string } | { problem: string }>;
}

export function rayService(address: string): RayService {
  const base = address.replace(/\/+$/, '');
  // Of its own, so that proxies of the environment are not used and nothing outlives the run.
  const agent = new Agent({ connect: { timeout: 5000 } });
  const ask = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Answer | string> => {
    try {
      const response = await agent.request({
        origin: base,
        path,
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
        signal: AbortSignal.timeout(TIMEOUT),
      });
      return { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const jobPath = (id: string) => `/api/jobs/${encodeURIComponent(id)}`;
  const look = async (id: string): Promise<JobState> => {
    const answer = await ask('GET', jobPath(id));
    if (typeof answer === 'string') return { kind: 'unreachable', detail: answer };
    if (answer.status === 404) return { kind: 'unknown' };
    return stateOf(answer);
  };
  return {
    name: base,
    look,
    async submit(job) {
      const answer = await ask('POST', '/api/jobs/', submission(job));
      if (typeof answer === 'string') return { kind: 'unreachable', detail: answer };
      if (answer.status === 200) return null;
      const found = await look(job.id);
      if (found.kind === 'unknown') return { kind: 'refused', detail: lastLine(answer.text) };
      return found.kind === 'unreachable' ? found : null;
    },
    async stop(id) {
      await ask('POST', `${jobPath(id)}/stop`);
    },
    async tail(id) {
      const answer = await ask('GET', `${jobPath(id)}/logs`);
      if (typeof answer === 'string' || answer.status !== 200) return '';
      return String(jsonObject(answer.text)?.logs ?? '').slice(-TAIL);
    },
    async machines() {
      const answer = await ask('GET', `/api/v0/nodes?detail=1&limit=${MAX_MACHINES}`);
      return typeof answer === 'string' || answer.status !== 200
        ? null
        : machinesOf(jsonObject(answer.text) ?? {});
    },
    async version() {
      const answer = await ask('GET', '/api/version');
      if (typeof answer === 'string') return { problem: answer };
      if (answer.status !== 200) return { problem: `status ${answer.status}` };
      return { version: String(jsonObject(answer.text)?.ray_version) };
    },
    close: () => agent.destroy(),
  };
}

/** Of the resource that each machine has for itself, 1 in all, under the name of its address. */
const SHARE_OF_MACHINE = 0.0001;

/** CPUs and GPUs have their own fields; all others are custom resources. */
function submission({ id, command, amounts, machine }: Job): object {
  const { cpu, gpu, ...counted } = amounts;
  const others = machine === null ? counted : { ...counted, [`node:${machine}`]: SHARE_OF_MACHINE };
  return {
    submission_id: id,
    entrypoint: command,
    ...(cpu === undefined ? {} : { entrypoint_num_cpus: cpu }),
    ...(gpu === undefined ? {} : { entrypoint_num_gpus: gpu }),
    ...(Object.keys(others).length === 0 ? {} : { entrypoint_resources: others }),
  };
}

function stateOf({ status, text }: Answer): JobState {
  const job = jsonObject(text) ?? {};
  const detail = String(job.message ?? '');
  switch (job.status) {
    case 'PENDING':
      return { kind: 'waiting', detail };
    case 'RUNNING':
      return { kind: 'running' };
    case 'SUCCEEDED':
    case 'STOPPED':
    case 'FAILED':
      // Its output comes with a request of its own.
      return {
        kind: 'ended',
        detail: [job.status, job.error_type, firstLine(detail)].filter(Boolean).join(' '),
      };
    default:
      return { kind: 'unreachable', detail: `status ${status}: ${lastLine(text)}` };
  }
}

function machinesOf(answer: Record<string, unknown>): Machine[] | null {
  const { result } = ((answer.data as Record<string, unknown>) ?? {}) as { result?: { result?: unknown } };
  if (!Array.isArray(result?.result)) return null;
  return (result.result as Record<string, unknown>[]).map((node) => ({
    name: String(node.node_name ?? node.node_ip ?? ''),
    address: String(node.node_ip ?? ''),
    isAlive: node.state === 'ALIVE',
    isHead: node.is_head_node === true,
    amounts: amountsOf((node.resources_total ?? {}) as Record<string, number>),
  }));
}

/** Without Ray's internal resources. */
function amountsOf(total: Record<string, number>): Amounts {
  const amounts: Record<string, number> = {};
  for (const [name, amount] of Object.entries(total)) {
    if (name === 'CPU') amounts.cpu = amount;
    else if (name === 'GPU') amounts.gpu = amount;
    else if (!/^(node:|memory$|object_store_memory$|accelerator_type:)/.test(name)) amounts[name] = amount;
  }
  return amounts;
}

/** Checks a cluster for `doctor`. */
export async function probeCluster(address: string): Promise<Probe> {
  const service = rayService(address);
  const name = 'Ray cluster';
  try {
    const answer = await service.version();
    if ('problem' in answer) {
      const remedy =
        'start it (ray start --head --dashboard-host=0.0.0.0), or correct the address of the deployment';
      return { name, status: 'miss', detail: `${service.name} does not answer: ${answer.problem}`, remedy };
    }
    const alive = ((await service.machines()) ?? []).filter(({ isAlive }) => isAlive);
    const sum = (resource: string) => alive.reduce((all, { amounts }) => all + (amounts[resource] ?? 0), 0);
    const detail = `Ray ${answer.version} at ${service.name}; machines: ${alive.length}, cpu ${sum('cpu')}, sandbox ${sum('sandbox')}, tar_io ${sum('tar_io')}`;
    if (sum('sandbox') > 0) return { name, status: 'ok', detail };
    const lack = 'no machine says how many sandboxes it holds, so only processors bound what runs there';
    const remedy = 'start machines with --resources \'{"sandbox":128,"tar_io":40}\'';
    return { name, status: 'soft', detail: `${detail}; ${lack}`, remedy };
  } finally {
    await service.close();
  }
}

function firstLine(text: string): string {
  return text
    .split('\n')[0]!
    .replace(/, last available logs.*/, '')
    .slice(0, 300);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)!.slice(0, 300);
}
