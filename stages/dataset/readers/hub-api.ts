/**
 * The part of the hub's HTTP API that datasets and locks need: what a revision is and which files it has. The address
 * and the account are read from the variables of the hub's own client (HF_ENDPOINT, HF_TOKEN, HF_HOME,
 * HF_HUB_OFFLINE). The token is sent in one header and nowhere else.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Response } from 'undici';
import { Credential } from '../../../basics/credential.ts';
import { jsonObject } from '../../../basics/json.ts';
import { readableText } from '../../../basics/readable.ts';
import { fault, type Result, success } from '../../../basics/result.ts';
import { absenceOf } from '../../../schemas/absence.ts';
import { infra, isFault } from '../../../schemas/outcome.ts';
import type { SourceDeps } from '../../../tasks/source/deps.ts';
import { invalidRow, type SourceFault, withoutCredentials } from '../../../tasks/source/fault.ts';
import type { GetOptions } from '../../../tasks/source/http.ts';

/** What the hub says of a file. Large files are named by sha256, small ones by git's object id. */
export interface HubFile {
  /** Inside the dataset's repository. */
  path: string;
  size: number | null;
  sha256: string | null;
  /** sha1 of git's blob. */
  blob: string | null;
}

export interface HubRevision {
  commit: string;
  files: HubFile[];
}

export type HubDeps = Pick<SourceDeps, 'http' | 'env' | 'signal'>;

/** Base URL of the hub, without a slash at the end. */
export function hubEndpoint(env: NodeJS.ProcessEnv): string {
  return (env.HF_ENDPOINT?.trim() || 'https://huggingface.co').replace(/\/+$/, '');
}

/** What of the hub is asked for. */
export interface HubAsked {
  id: string;
  revision: string;
  /** Default: dataset. */
  kind?: 'dataset' | 'model';
}

/** Commit and files at a revision. */
export async function hubRevision(asked: HubAsked, deps: HubDeps): Promise<Result<HubRevision, SourceFault>> {
  const { id, revision, kind = 'dataset' } = asked;
  const url = `${hubEndpoint(deps.env)}/api/${kind}s/${id}/revision/${encodeURIComponent(revision)}?blobs=true`;
  return hubGet(url, asked, deps, {}, async (response) => {
    const read = parseRevision(await response.text());
    if (read !== null) return success(read);
    return fault(
      infra('source-fetch', `${withoutCredentials(url)}: the answer is not that of a hub; see HF_ENDPOINT`),
    );
  });
}

/** Address of a file's content. */
export function hubFileUrl(id: string, commit: string, path: string, env: NodeJS.ProcessEnv): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${hubEndpoint(env)}/datasets/${id}/resolve/${commit}/${encoded}`;
}

/**
 * What the headers of a file say of its content, for hubs whose listing does not: `x-linked-etag` is the sha256
 * of a large file and stands on the redirect to it, `etag` git's object id of a small one.
 */
export async function hubFileHead(
  id: string,
  commit: string,
  path: string,
  deps: HubDeps,
): Promise<Result<HubFile, SourceFault>> {
  const url = hubFileUrl(id, commit, path, deps.env);
  const options = { keepRedirects: true } as const;
  return hubGet(url, { id, revision: commit }, deps, options, async ({ headers, status, body }) => {
    await body?.cancel();
    const linked = headers.get('x-linked-etag') ?? (status < 300 ? headers.get('etag') : null);
    const tag = linked?.replace(/^W\//, '').replaceAll('"', '') ?? '';
    const size = headers.get('x-linked-size') ?? (status < 300 ? headers.get('content-length') : null);
    return success({
      path,
      size: size === null ? null : Number(size),
      sha256: /^[0-9a-f]{64}$/.test(tag) ? tag : null,
      blob: /^[0-9a-f]{40}$/.test(tag) ? tag : null,
    });
  });
}

/** GETs from the hub as the user that the environment names; refusals come with what would help. */
export async function hubGet<T>(
  url: string,
  asked: HubAsked,
  deps: HubDeps,
  options: Pick<GetOptions, 'keepRedirects'> & { more?: () => Record<string, string> },
  use: (response: Response) => Promise<Result<T, SourceFault>>,
): Promise<Result<T, SourceFault>> {
  const { env, http, signal } = deps;
  const what = `${asked.kind ?? 'dataset'} ${asked.id}`;
  if (isTrue(env.HF_HUB_OFFLINE))
    return fault(infra('network', `${what} is not in the cache, and HF_HUB_OFFLINE forbids to fetch it`));
  const token = hubToken(env);
  const headers = () => ({
    ...(token === null ? {} : Credential.bearer(token, hubEndpoint(env)).headers(url)),
    ...options.more?.(),
  });
  const refusal = (response: Response) => refused(response, asked, token !== null, hubEndpoint(env));
  const { keepRedirects = false } = options;
  const got = await http.get(url, { signal, headers, refusal, keepRedirects }, use);
  if (!got.ok && !isFault(got.fault))
    return fault({ ...got.fault, absent: [absenceOf({ kind: 'hub', url })] });
  if (got.ok || !isFault(got.fault) || got.fault.reason !== 'network') return got;
  const elsewhere =
    asked.kind === 'model'
      ? 'name its folder, or write a name without "/" for weights that are not on the hub'
      : 'download the dataset elsewhere and name its folder';
  const remedy = `set HF_ENDPOINT to a mirror, or ${elsewhere}`;
  return fault(infra('network', `${what}: ${got.fault.detail}; ${remedy}`));
}

function refused(
  { status, headers }: Response,
  { id, revision, kind = 'dataset' }: HubAsked,
  hasToken: boolean,
  endpoint: string,
): SourceFault | null {
  const page = `${withoutCredentials(endpoint)}/${kind === 'dataset' ? 'datasets/' : ''}${id}`;
  const code = headers.get('x-error-code');
  const who = hasToken ? 'the token in HF_TOKEN' : 'without a token it';
  if (code === 'GatedRepo' || (status === 403 && code === null)) {
    const how = hasToken ? 'with the account of HF_TOKEN' : 'and set HF_TOKEN';
    return infra('source-fetch', `${kind} ${id} is gated: accept its terms at ${page} ${how}`);
  }
  if (code === 'RevisionNotFound')
    return invalidRow(`${kind} ${id} has no revision "${revision}"; see ${page}`);
  if (code === 'EntryNotFound') return null;
  // The hub also answers 401 for what does not exist, so that private names are not revealed.
  if (status === 401 || status === 403)
    return infra(
      'source-fetch',
      `${kind} ${id}: ${who} may not be read at ${page}; it is private or does not exist: check the name, or set HF_TOKEN to a token that may read it`,
    );
  if (status === 404)
    return invalidRow(
      `${kind} ${id} does not exist at ${page}; a folder is written ./${id}, and a private ${kind} needs HF_TOKEN`,
    );
  return status < 500 && status !== 429 && status !== 408
    ? infra('source-fetch', `${kind} ${id}: the hub answered HTTP ${status}`)
    : infra('network', `${page}: HTTP ${status}`);
}

function parseRevision(text: string): HubRevision | null {
  const { sha, siblings } = jsonObject<{ sha?: unknown; siblings?: Sibling[] }>(text) ?? {};
  if (typeof sha !== 'string' || !/^[0-9a-f]{40}$/.test(sha) || !Array.isArray(siblings)) return null;
  if (siblings.some((one) => typeof one !== 'object' || one === null)) return null;
  return { commit: sha, files: siblings.map(hubFile) };
}

interface Sibling {
  rfilename: string;
  size?: number | null;
  blobId?: string | null;
  lfs?: { sha256?: string; size?: number } | null;
}

function hubFile({ rfilename, size, blobId, lfs }: Sibling): HubFile {
  const sha256 = lfs?.sha256 ?? null;
  // With lfs, git's object is a pointer to the file and not the file.
  return { path: rfilename, size: lfs?.size ?? size ?? null, sha256, blob: lfs ? null : (blobId ?? null) };
}

/** The token that the hub's own client would use. */
export function hubToken(env: NodeJS.ProcessEnv): string | null {
  const token = env.HF_TOKEN?.trim() || env.HUGGING_FACE_HUB_TOKEN?.trim();
  if (token) return token;
  if (isTrue(env.HF_HUB_DISABLE_IMPLICIT_TOKEN)) return null;
  const caches = env.XDG_CACHE_HOME || join(env.HOME ?? homedir(), '.cache');
  const home = env.HF_HOME || join(caches, 'huggingface');
  return readableText(env.HF_TOKEN_PATH || join(home, 'token')).trim() || null;
}

function isTrue(text: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(text?.trim() ?? '');
}
