/** Gets images on the machines of a fleet, through a mirror where one is named, under the names that are asked for later. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mapLimit } from '../basics/map-limit.ts';
import { NodeClient } from '../servers/pool/node-client.ts';
import { imageText, parseImage } from '../tasks/images/image-name.ts';
import type { Member } from './fleet.ts';

export interface PullSettings {
  /** In place of an image's registry and owner, for its name; null: as it is. */
  source: string | null;
  /** In place of them, for where it comes from; null: as it is named. */
  proxy: string | null;
  /** Tries in all. */
  tries: number;
  /** Milliseconds between two. */
  pause: number;
  /** Seconds that one try may take. */
  timeout: number;
  /** Images at once. */
  atOnce: number;
}

/** Prefixes as the original's scripts read them: for all images, or by the owner that names them. */
export function prefixesOf(image: string, { source, proxy }: PullSettings, env: NodeJS.ProcessEnv): Pulled {
  const [, owner = ''] = image.split('/');
  const set = owner === 'xingyaoww' ? 'SWE_GYM' : owner === 'swebench' ? 'SWE_BENCH' : null;
  const of = (what: string) => (set === null ? undefined : env[`${what}_${set}`]) || null;
  const name = under(image, source ?? of('SRC_PREFIX'));
  return { from: under(name, proxy ?? of('PROXY_PREFIX')), as: name };
}

export interface Pulled {
  from: string;
  as: string;
}

function under(image: string, prefix: string | null): string {
  if (prefix === null) return image;
  const moved = `${prefix.replace(/\/+$/, '')}/${image.split('/').at(-1)}`;
  return imageText(parseImage(moved)) ?? moved;
}

export interface PullEnd {
  image: string;
  status: 'there' | 'pulled' | 'failed';
  /** Why it failed; empty else. */
  detail: string;
  seconds: number;
}

/** Calls `onEnd` with each result, in the order in which they come. */
export async function pullImages(
  members: readonly Member[],
  images: readonly Pulled[],
  settings: PullSettings,
  onEnd: (end: PullEnd) => void,
): Promise<PullEnd[]> {
  const holding = members.filter(({ kind }) => kind !== 'agents');
  const clients = holding.map(({ kind, address, token }) => ({
    isPool: kind === 'pool',
    client: new NodeClient(address, token),
  }));
  try {
    const here = await Promise.all(clients.map(({ isPool, client }) => imagesAt(isPool, client)));
    return await mapLimit(images, settings.atOnce, async (image) => {
      const since = performance.now();
      const lacking = clients.filter((_, index) => !here[index]!.has(shortName(image.as)));
      const problems = await Promise.all(lacking.map(({ client }) => pullAt(client, image, settings)));
      const detail = problems.filter((problem) => problem !== null).join('; ');
      const status = lacking.length === 0 ? 'there' : detail === '' ? 'pulled' : 'failed';
      const end = { image: image.as, status, detail, seconds: (performance.now() - since) / 1000 } as const;
      onEnd(end);
      return end;
    });
  } finally {
    await Promise.all(clients.map(({ client }) => client.close()));
  }
}

/** What is there already: of a pool, what all of its nodes have that are well. */
async function imagesAt(isPool: boolean, client: NodeClient): Promise<ReadonlySet<string>> {
  const [listed, health] = await Promise.all(['/images', '/healthz'].map((path) => client.get(path, 30_000)));
  if (listed?.kind !== 'answer' || listed.json.ok !== true) return new Set();
  if (!isPool) return new Set(listed.json.images as string[]);
  const nodes = health?.kind === 'answer' ? Number(health.json.healthy_nodes) : Number.POSITIVE_INFINITY;
  const counts = Object.entries(listed.json.images as Record<string, number>);
  return new Set(counts.filter(([, count]) => count >= nodes).map(([name]) => name));
}

/** Why it did not come; null: it is there. */
async function pullAt(
  client: NodeClient,
  { from, as }: Pulled,
  { tries, pause, timeout }: PullSettings,
): Promise<string | null> {
  let problem = '';
  for (let round = 1; round <= tries; round += 1) {
    if (round > 1) await sleep(pause);
    const body = { image: from, as, timeout };
    const reply = await client.post('/images/pull', body, { timeout: (timeout + 30) * 1000 });
    if (reply.kind === 'answer' && reply.json.ok === true) return null;
    problem =
      reply.kind === 'unreachable' ? reply.detail : reply.kind === 'answer' ? String(reply.json.error) : '';
    // Nothing of that name will be there the next time.
    if (reply.kind === 'answer' && reply.json.error_code === 'image_unavailable') break;
  }
  return problem;
}

/** As engines and nodes report it. */
function shortName(image: string): string {
  return image.replace(/^docker\.io\/(?:library\/)?/, '');
}
