/**
 * What a tag of a container image means now, asked of its registry by the OCI distribution API: one HEAD request, and
 * a token if the registry wants one, in the way that it names. Nothing is downloaded.
 */

import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Response } from 'undici';
import { Credential } from '../../basics/credential.ts';
import { jsonObject } from '../../basics/json.ts';
import { readableText } from '../../basics/readable.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import type { SourceDeps } from '../source/deps.ts';
import { invalidRow, type SourceFault } from '../source/fault.ts';
import type { GetOptions } from '../source/http.ts';
import { type ImageName, imageText } from './image-name.ts';

export type RegistryDeps = Pick<SourceDeps, 'http' | 'env' | 'signal' | 'sharedWork'>;

/** Lists for several machines come first: what they name is the same everywhere. */
const ACCEPT = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Asks registries; tokens are kept for as long as it lives. */
export class Registry {
  readonly #deps: RegistryDeps;
  /** Host and repository -> what the registry gets. */
  readonly #tokens = new Map<string, Credential>();

  constructor(deps: RegistryDeps) {
    this.#deps = deps;
  }

  /** `sha256:…` of the manifest that the image's tag names; a name that pins itself is not asked for. */
  async digest(image: ImageName): Promise<Result<string, SourceFault>> {
    if (image.digest !== null) return success(image.digest);
    const head = await this.#ask(image, 'HEAD', async ({ headers }) => {
      const digest = headers.get('docker-content-digest') ?? '';
      return success(DIGEST.test(digest) ? digest : null);
    });
    if (!head.ok) return head;
    if (head.value !== null) return success(head.value);
    // The header is optional; then the digest is that of the text.
    return this.#ask(image, 'GET', async (response) => {
      const bytes = Buffer.from(await response.arrayBuffer());
      const manifest = jsonObject<{ schemaVersion?: unknown }>(bytes.toString('utf8'));
      return manifest?.schemaVersion === undefined
        ? fault(infra('network', `${image.registry} answers with no manifest for ${imageText(image)}`))
        : success(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    });
  }

  async #ask<T>(
    image: ImageName,
    method: 'GET' | 'HEAD',
    use: (response: Response) => Promise<Result<T, SourceFault>>,
  ): Promise<Result<T, SourceFault>> {
    const { http, signal } = this.#deps;
    const scope = `${image.registry}/${image.repository}`;
    const url = `${baseUrl(image.registry)}/v2/${image.repository}/manifests/${image.tag}`;
    let challenge: string | null = null;
    const options = (): GetOptions => ({
      method,
      accept: ACCEPT,
      signal,
      headers: (): Record<string, string> => {
        return this.#tokens.get(scope)?.headers(url) ?? {};
      },
      refusal: (response) => {
        if (response.status === 401) challenge = response.headers.get('www-authenticate');
        return refusal(response.status, image);
      },
    });
    const first = await http.get(url, options(), use);
    if (first.ok || challenge === null) return first;
    const token = await this.#deps.sharedWork.share(`registry token ${scope} ${challenge}`, () =>
      this.#authorize(challenge!, image),
    );
    if (!token.ok) return token;
    this.#tokens.set(scope, token.value);
    return http.get(url, options(), use);
  }

  /** The header that the challenge asks for: a token from where it says, or the user's own name and password. */
  async #authorize(challenge: string, image: ImageName): Promise<Result<Credential, SourceFault>> {
    const registry = baseUrl(image.registry);
    const own = storedLogin(image.registry, this.#deps.env);
    const [scheme = ''] = challenge.split(' ', 1);
    if (scheme.toLowerCase() === 'basic')
      return own === null ? fault(refusal(401, image)!) : success(Credential.login(own, registry));
    const values = new Map(
      [...challenge.matchAll(/([a-z_]+)="([^"]*)"/gi)].map(([, name, value]) => [
        name!.toLowerCase(),
        value!,
      ]),
    );
    const realm = tokenUrl(values, image);
    if (realm === null)
      return fault(infra('network', `${image.registry} asks for a token in a way that is not known`));
    // The protocol sends a login to the service that its registry names for it, and nowhere else.
    const headers = () => (own === null ? {} : Credential.login(own, realm).headers(realm));
    const asked = {
      signal: this.#deps.signal,
      headers,
      refusal: ({ status }: Response) => refusal(status, image),
    };
    return this.#deps.http.get(realm, asked, async (response) => {
      const answer = jsonObject<{ token?: unknown; access_token?: unknown }>(await response.text());
      const token = answer?.token ?? answer?.access_token;
      return typeof token === 'string'
        ? success(Credential.bearer(token, registry))
        : fault(infra('network', `${image.registry} gave no token`));
    });
  }
}

/** A token is asked for in the clear on this machine alone: a password may go with it. */
function tokenUrl(values: ReadonlyMap<string, string>, { repository }: ImageName): string | null {
  if (!URL.canParse(values.get('realm') ?? '')) return null;
  const url = new URL(values.get('realm')!);
  if (url.protocol !== 'https:' && !isThisMachine(url.host)) return null;
  const service = values.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  url.searchParams.set('scope', values.get('scope') ?? `repository:${repository}:pull`);
  return url.href;
}

function refusal(status: number, image: ImageName): SourceFault | null {
  const name = imageText(image)!;
  if (status === 404) return invalidRow(`there is no image ${name}`);
  if (status === 401 || status === 403)
    return infra(
      'network',
      `${image.registry} does not show ${name}; if it is there: docker login ${image.registry}`,
    );
  if (status === 429)
    return infra('network', `${image.registry} has had enough requests for now; try again later`);
  return null;
}

function baseUrl(registry: string): string {
  if (registry === 'docker.io') return 'https://registry-1.docker.io';
  return `${isThisMachine(registry) ? 'http' : 'https'}://${registry}`;
}

function isThisMachine(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(host);
}

/** `USER:PASSWORD`, as `docker login` keeps them in its file; helpers of other programs are not asked. */
function storedLogin(registry: string, env: NodeJS.ProcessEnv): string | null {
  const folder = env.DOCKER_CONFIG || join(env.HOME ?? homedir(), '.docker');
  const { auths } =
    jsonObject<{ auths?: Record<string, { auth?: string }> }>(readableText(join(folder, 'config.json'))) ??
    {};
  const names =
    registry === 'docker.io'
      ? ['https://index.docker.io/v1/', 'docker.io']
      : [registry, `https://${registry}`];
  const stored = names
    .map((name) => auths?.[name]?.auth)
    .find((auth) => typeof auth === 'string' && auth !== '');
  return stored === undefined ? null : Buffer.from(stored, 'base64').toString();
}
