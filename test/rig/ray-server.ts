/**
 * The Jobs API of a cluster on this machine: jobs are real processes. It forgets, breaks off and loses as a real one does:
 * a lost job is `FAILED` and its process lives on.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atEnd } from './at-end.ts';

export interface RayJob {
  id: string;
  command: string;
  body: Record<string, unknown>;
  status: string;
  printed: string;
  process: ChildProcess;
}

export interface RayServer {
  url: string;
  jobs: Map<string, RayJob>;
  /** How often each id was asked to start. */
  submissions: string[];
  /** Answers a submission by a broken connection after it was taken. */
  breaksSubmissions: boolean;
  /** Does not say which machines there are. */
  hidesMachines: boolean;
  /** Answers nothing at all. */
  isDown: boolean;
  machines: { ip: string; name?: string; isDead?: boolean; resources: Record<string, number> }[];
}

export async function rayServer(env: NodeJS.ProcessEnv = process.env): Promise<RayServer> {
  const rig: RayServer = {
    url: '',
    jobs: new Map(),
    submissions: [],
    breaksSubmissions: false,
    hidesMachines: false,
    isDown: false,
    machines: [{ ip: '10.0.0.1', resources: { CPU: 2, sandbox: 128, tar_io: 40 } }],
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () =>
      rig.isDown ? request.socket.destroy() : answer(rig, env, request, response, text),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  rig.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEnd(async () => {
    for (const { process: job } of rig.jobs.values()) endJob(job);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return rig;
}

function answer(
  rig: RayServer,
  env: NodeJS.ProcessEnv,
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): void {
  const say = (status: number, value: unknown) =>
    response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value));
  const [, , , id = '', verb] = request.url!.split('?')[0]!.split('/');
  const job = rig.jobs.get(id);
  if (request.url!.startsWith('/api/version')) return void say(200, { ray_version: '2.60.0' });
  if (request.url!.startsWith('/api/v0/nodes')) {
    if (rig.hidesMachines) return void say(500, 'Failed to get all nodes');
    const result = rig.machines.map(({ ip, name = ip, isDead, resources }) => ({
      node_ip: ip,
      node_name: name,
      state: isDead === true ? 'DEAD' : 'ALIVE',
      is_head_node: false,
      resources_total: resources,
    }));
    return void say(200, { result: true, data: { result: { result } } });
  }
  if (request.method === 'POST' && id === '') {
    const body = JSON.parse(text) as Record<string, unknown>;
    const name = String(body.submission_id);
    rig.submissions.push(name);
    if (rig.jobs.has(name))
      return void say(500, `Traceback\nValueError: Job with submission_id ${name} already exists.\n`);
    rig.jobs.set(name, startJob(name, body, env));
    if (rig.breaksSubmissions) request.socket.destroy();
    else say(200, { submission_id: name });
    return;
  }
  if (job === undefined) return void say(404, `Job ${id} does not exist`);
  if (verb === 'logs') return void say(200, { logs: job.printed });
  if (verb === 'stop') {
    if (job.status === 'RUNNING') {
      endJob(job.process);
      job.status = 'STOPPED';
    }
    return void say(200, { stopped: true });
  }
  say(200, { status: job.status, message: 'as it is', error_type: null });
}

function startJob(id: string, body: Record<string, unknown>, env: NodeJS.ProcessEnv): RayJob {
  const command = String(body.entrypoint);
  const child = spawn('bash', ['-c', command], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const job: RayJob = { id, command, body, status: 'RUNNING', printed: '', process: child };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      job.printed += text;
    });
  child.on('close', (code) => {
    if (job.status === 'RUNNING') job.status = code === 0 ? 'SUCCEEDED' : 'FAILED';
  });
  return job;
}

function endJob({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}
