/** Pulls images onto the machines of a fleet. A pull may use a mirror, and the image keeps its final name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mapLimit } from '../basics/map-limit.ts';
import { NodeClient } from '../servers/pool/node-client.ts';
import { imageText, parseImage } from '../tasks/images/image-name.ts';
import type { Member } from './fleet.ts';

export interface PullSettings {
  /** Replaces registry and owner in the image's name; null: the name stays. */
  source: string | null;
  /** Replaces registry and owner in the address of the download; null: the name is the address. */
  proxy: string | null;
  /** Tries in all. */
  tries: number;
  /** Milliseconds between two tries. */
  pause: number;
  /** Seconds that one try may take. */
  timeout: number;
  /** Images at once. */
  atOnce: number;
}

/** The address and the name of an image. Settings come first; else the variable for the image's owner counts (`SRC_PREFIX_SWE_GYM`, for example). */
export function pulledNames(image: string, { source, proxy }: PullSettings, env: NodeJS.ProcessEnv): Pulled {
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

/** The images that need no pull. A pool's image counts when at least as many nodes report it as are healthy. */
async function imagesAt(isPool: boolean, client: NodeClient): Promise<ReadonlySet<string>> {
  const [listed, health] = await Promise.all(['/images', '/healthz'].map((path) => client.get(path, 30_000)));
  if (listed?.kind !== 'answer' || listed.json.ok !== true) return new Set();
  if (!isPool) return new Set(listed.json.images as string[]);
  const nodes = health?.kind === 'answer' ? Number(health.json.healthy_nodes) : Number.POSITIVE_INFINITY;
  const counts = Object.entries(listed.json.images as Record<string, number>);
  return new Set(counts.filter(([, count]) => count >= nodes).map(([name]) => name));
}

/** The last failure; null: the pull succeeded. */
async function pullAt(
  client: NodeClient,
  { from, as }: Pulled,
  { tries, pause, timeout }: PullSettings,
): Promise<string | null> {
  let problem = '';
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    if (attempt > 1) await sleep(pause);
    const body = { image: from, as, timeout };
    const reply = await client.post('/images/pull', body, { timeout: (timeout + 30) * 1000 });
    if (reply.kind === 'answer' && reply.json.ok === true) return null;
    problem =
      reply.kind === 'unreachable' ? reply.detail : reply.kind === 'answer' ? String(reply.json.error) : '';
    // The registry has no such image, so another try is useless.
    if (reply.kind === 'answer' && reply.json.error_code === 'image_unavailable') break;
  }
  return problem;
}

/** The name without Docker Hub's default prefix, as engines and nodes report it. */
function shortName(image: string): string {
  return image.replace(/^docker\.io\/(?:library\/)?/, '');
}
