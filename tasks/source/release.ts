/**
 * Releases on registries of other languages than Python: the zip of a module on Go's module proxy, the tarball of a package on
 * npm's registry, the archive of a crate. Each is asked for as the language's own client would ask, with the machine's settings.
 */
import { fault, type Result, success } from '../../basics/result.ts';
import { infra } from '../../schemas/outcome.ts';
import { usualConnection } from '../index/connection.ts';
import { cargoSettings } from '../index/crates/settings.ts';
import { archiveUrl, parseConfig, parseCrate, pathOf } from '../index/crates/sparse.ts';
import { escaped } from '../index/go/proxy.ts';
import { goProxies } from '../index/go/settings.ts';
import { parsePackument } from '../index/npm/packument.ts';
import { npmSettings } from '../npm/settings.ts';
import { invalidRow, type SourceFault } from './fault.ts';
import { type Http, httpClient } from './http.ts';

type ReleaseRegistry = 'go' | 'npm' | 'crate';

export interface Release {
  registry: ReleaseRegistry;
  name: string;
  version: string;
}

/** As sources name it. */
export function releaseName({ registry, name, version }: Release): string {
  return `${registry}:${name}@${version}`;
}

/** Where the archive of a release is, and what asks for it. */
interface ReleaseFile {
  url: string;
  headers: Record<string, string>;
  http: Http;
}

type Found = Promise<Result<ReleaseFile, SourceFault>>;
type Find = (release: Release, env: NodeJS.ProcessEnv, signal: AbortSignal | undefined) => Found;

const REGISTRIES: Readonly<Record<ReleaseRegistry, Find>> = {
  async go({ name, version }, env) {
    const [proxy] = goProxies(env);
    if (proxy === undefined)
      return fault(infra('source-fetch', `go:${name}@${version}: GOPROXY names no module proxy`));
    const url = `${proxy}/${escaped(name)}/@v/${escaped(version)}.zip`;
    return success({ url, headers: {}, http: httpClient(usualConnection(env)) });
  },

  async npm({ name, version }, env, signal) {
    const settings = npmSettings(env);
    const { certificates, timeout, headersOf } = settings;
    const http = httpClient({ env: settings.env, certificates, timeout });
    const url = `${settings.registryOf(name)}/${name.replace('/', '%2f')}`;
    const read = await readDocument(http, url, headersOf(url), parsePackument, signal);
    if (!read.ok) return read;
    const tarball = read.value.versions[version]?.dist.tarball;
    if (tarball === undefined) return fault(invalidRow(`npm’s registry has no ${name} ${version}`));
    return success({ url: tarball, headers: headersOf(tarball), http });
  },

  async crate({ name, version }, env, signal) {
    const { index, cainfo } = cargoSettings(env);
    const http = httpClient(usualConnection(env, cainfo));
    const config = await readDocument(http, `${index}/config.json`, {}, parseConfig, signal);
    if (!config.ok) return config;
    const lines = await readDocument(http, `${index}/${pathOf(name)}`, {}, parseCrate, signal);
    if (!lines.ok) return lines;
    const found = lines.value.find((line) => line.version === version);
    if (found === undefined) return fault(invalidRow(`the index of crates has no ${name} ${version}`));
    return success({ url: archiveUrl(config.value, found), headers: {}, http });
  },
};

export function findRelease(
  release: Release,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | undefined,
): Found {
  return REGISTRIES[release.registry](release, env, signal);
}

async function readDocument<T>(
  http: Http,
  url: string,
  headers: Record<string, string>,
  parse: (bytes: Buffer) => T | null,
  signal: AbortSignal | undefined,
): Promise<Result<T, SourceFault>> {
  return http.get(url, { signal, headers: () => headers }, async (response) => {
    const read = parse(Buffer.from(await response.arrayBuffer()));
    return read === null
      ? fault(infra('source-fetch', `${url}: the answer is not that of a registry`))
      : success(read);
  });
}
