/**
 * The load of the benchmark `pool`: so many clients at once, each a lease after the other, over connections that are kept.
 * It sends the requests of the original's own client and costs little, since it shares the processors with what is
 * measured. Prints what it took as JSON. Usage: node pool-client.mjs URL IMAGE CLIENTS CYCLES.
 */
import { Pool } from 'undici';

const KINDS = ['allocate', 'exec', 'close'] as const;
const [url = '', image = '', clients = '1', cycles = '1'] = process.argv.slice(2);
const { origin, username, password } = new URL(url);
const login = Buffer.from(`${username}:${password}`).toString('base64');
/** Of httpx, which sends the login of an address in this way. */
const HEADERS = {
  ...(password === '' ? {} : { authorization: `Basic ${login}` }),
  accept: '*/*',
  'accept-encoding': 'gzip, deflate',
  'user-agent': 'python-httpx/0.28.1',
  'content-type': 'application/json',
};

const pool = new Pool(origin, { connections: Number(clients), headersTimeout: 0, bodyTimeout: 0 });
const took: Record<(typeof KINDS)[number], number[]> = { allocate: [], exec: [], close: [] };

async function send(kind: (typeof KINDS)[number], body: object): Promise<Record<string, unknown>> {
  const since = performance.now();
  const request = { path: `/${kind}`, method: 'POST', headers: HEADERS, body: JSON.stringify(body) } as const;
  const answer = await pool.request(request);
  const json = (await answer.body.json()) as Record<string, unknown>;
  took[kind].push(performance.now() - since);
  if (answer.statusCode !== 200 || json.ok !== true) throw new Error(`${kind}: ${JSON.stringify(json)}`);
  return json;
}

let started = 0;
async function work(): Promise<void> {
  while (started < Number(cycles)) {
    started += 1;
    const lease = (await send('allocate', { image, instance_id: `tiny-${started}` })).lease_id;
    const command = { lease_id: lease, command: 'echo there', cwd: '/testbed', timeout: 180, env: {} };
    const ran = await send('exec', command);
    if (ran.returncode !== 0 || ran.output !== 'there\n') throw new Error(`exec: ${JSON.stringify(ran)}`);
    await send('close', { lease_id: lease });
  }
}

const since = performance.now();
await Promise.all(Array.from({ length: Number(clients) }, work));
const seconds = (performance.now() - since) / 1000;
const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const middle = Object.fromEntries(KINDS.map((kind) => [kind, median(took[kind])]));
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    perSecond: Number(cycles) / seconds,
    ...middle,
    own: (user + system) / 1000 / Number(cycles),
  }),
);
await pool.close();
