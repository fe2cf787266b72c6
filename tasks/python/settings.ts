/**
 * What build steps may know of the host: where packages come from, the way there, and which certificates to
 * trust. Everything is gathered once for pip and uv alike and handed in as variables; both tools are told to
 * read no configuration files, and no other variable of the host (such as PIP_CONSTRAINT) has a way in.
 * None of this enters keys: the same packages may come from anywhere.
 */

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { whenHidden } from '../../basics/absent.ts';
import { decodedLogin } from '../../basics/uri.ts';
import type { Network, ReadOnlyMount } from '../../executors/deployment.ts';
import { indexSettings, pipConf } from '../source/index-settings.ts';

/** Seconds that clients wait for the local index: it answers when it has a file, and its own retries end. */
const LOCAL_TIMEOUT = 900;

export interface BuildSettings {
  variables: Record<string, string>;
  mounts: ReadOnlyMount[];
  /** `host` or `host:port` of every index and page of links, for the proxy's allow-list. */
  hosts: string[];
  /** Hides credentials of indexes and proxies; for everything that is logged. */
  redact(text: string): string;
}

/**
 * The settings of the host whose variables are `env`, for build steps with this network. `local` are URLs of the local
 * package index that stand in for the host's indexes, one by one.
 */
export function buildSettings(
  env: NodeJS.ProcessEnv,
  network: Network,
  local: readonly (string | null)[] = [],
): BuildSettings {
  const places = new Places();
  const settings = indexSettings(env);
  const conf = pipConf(env);
  const indexes = settings.indexes.flatMap(
    (index, at) => local[at] ?? places.show(index, '/opt/index') ?? [],
  );
  const findLinks = settings.findLinks.flatMap((link) => places.show(link, '/opt/index') ?? []);
  const localHosts = hostsOf(local.filter((url) => url !== null)).map((host) => host.replace(/:\d+$/, ''));
  const trusted = words(
    env.PIP_TRUSTED_HOST ?? conf.get('trusted-host'),
    env.UV_INSECURE_HOST,
    localHosts.join(' '),
  );
  const patient = (seconds: string) =>
    localHosts.length === 0 ? seconds : String(Math.max(Number(seconds) || 0, LOCAL_TIMEOUT));
  const variables = defined({
    PIP_CONFIG_FILE: '/dev/null',
    UV_NO_CONFIG: '1',
    PIP_INDEX_URL: indexes[0],
    PIP_EXTRA_INDEX_URL: joined(indexes.slice(1)),
    PIP_FIND_LINKS: joined(findLinks),
    PIP_NO_INDEX: settings.indexes.length === 0 ? '1' : undefined,
    PIP_TRUSTED_HOST: joined(trusted),
    PIP_DEFAULT_TIMEOUT: patient(String(settings.timeout)),
    PIP_RETRIES: env.PIP_RETRIES ?? conf.get('retries'),
    UV_DEFAULT_INDEX: indexes[0],
    UV_INDEX: joined(indexes.slice(1)),
    UV_FIND_LINKS: findLinks.length === 0 ? undefined : findLinks.join(','),
    UV_NO_INDEX: settings.indexes.length === 0 ? '1' : undefined,
    UV_INSECURE_HOST: joined(trusted),
    // Poetry asks it with its plugin poetry-plugin-pypi-mirror.
    POETRY_PYPI_MIRROR_URL: indexes[0],
    PIPENV_PYPI_MIRROR: indexes[0],
    PDM_PYPI_URL: indexes[0],
    PDM_PYPI_VERIFY_SSL: indexes[0]?.startsWith('http:') === true ? 'false' : undefined,
    UV_HTTP_TIMEOUT: patient(env.UV_HTTP_TIMEOUT ?? String(settings.timeout)),
    ...certificates(env, conf, places),
    ...(network === 'host' ? around(localHosts, proxies(env, conf)) : {}),
  });
  const secrets = [
    ...local,
    ...settings.indexes,
    ...settings.findLinks,
    ...Object.values(proxies(env, conf)),
  ];
  return {
    variables,
    mounts: places.mounts,
    hosts: hostsOf([...settings.indexes, ...settings.findLinks]),
    redact: redactor(secrets.filter((value) => value != null)),
  };
}

/** Host names with their ports of the given URLs; the usual ports are left out. */
function hostsOf(urls: readonly string[]): string[] {
  const hosts = urls.filter((url) => /^https?:/i.test(url)).map((url) => new URL(url).host);
  return [...new Set(hosts)];
}

/** Local files and folders get fixed places inside. */
class Places {
  readonly mounts: ReadOnlyMount[] = [];
  private readonly counts = new Map<string, number>();

  /** A URL as it is, the inside form of a local path or file:// URL, or undefined when there is nothing. */
  show(place: string, below: string): string | undefined {
    if (/^https?:/i.test(place)) return place;
    const isUrl = /^file:/i.test(place);
    const inside = this.mount(isUrl ? fileURLToPath(place) : place, below);
    return isUrl && inside !== undefined ? `file://${inside}` : inside;
  }

  mount(path: string, below: string): string | undefined {
    const from = real(path);
    if (from === null) return undefined;
    const there = this.mounts.find((mount) => mount.from === from && mount.to.startsWith(below));
    if (there !== undefined) return there.to;
    const number = this.counts.get(below) ?? 0;
    this.counts.set(below, number + 1);
    const to = `${below}/${number}`;
    this.mounts.push({ from, to });
    return to;
  }
}

/** Each variable keeps its meaning; uv and git are given pip's bundle when they have none of their own. */
function certificates(
  env: NodeJS.ProcessEnv,
  conf: Map<string, string>,
  places: Places,
): Record<string, string | undefined> {
  const show = (path: string | undefined) =>
    path?.trim() ? places.mount(path.trim(), '/opt/certs') : undefined;
  const pip = show(env.PIP_CERT ?? conf.get('cert'));
  const bundle = show(env.SSL_CERT_FILE) ?? show(env.REQUESTS_CA_BUNDLE) ?? pip;
  return {
    PIP_CERT: pip,
    PIP_CLIENT_CERT: show(env.PIP_CLIENT_CERT ?? conf.get('client-cert')),
    SSL_CLIENT_CERT: show(env.SSL_CLIENT_CERT),
    SSL_CERT_FILE: bundle,
    SSL_CERT_DIR: show(env.SSL_CERT_DIR),
    REQUESTS_CA_BUNDLE: show(env.REQUESTS_CA_BUNDLE) ?? bundle,
    CURL_CA_BUNDLE: show(env.CURL_CA_BUNDLE) ?? bundle,
    GIT_SSL_CAINFO: show(env.GIT_SSL_CAINFO) ?? bundle,
    UV_NATIVE_TLS: env.UV_NATIVE_TLS,
  };
}

/** Only where the host's network is used as it is; with swemake's own proxy these are its upstream. */
function proxies(env: NodeJS.ProcessEnv, conf: Map<string, string>): Record<string, string | undefined> {
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];
  const found = names.flatMap((name) => {
    const value = env[name] ?? env[name.toUpperCase()];
    return value === undefined ? [] : [[name, value] as const, [name.toUpperCase(), value] as const];
  });
  return { ...Object.fromEntries(found), PIP_PROXY: env.PIP_PROXY ?? conf.get('proxy') };
}

/** The local index is asked without a proxy; pip would not make an exception from one of its own. */
function around(
  hosts: readonly string[],
  proxies: Record<string, string | undefined>,
): Record<string, string | undefined> {
  if (hosts.length === 0) return proxies;
  const { PIP_PROXY: own, ...others } = proxies;
  const named =
    own === undefined ? {} : { http_proxy: own, https_proxy: own, HTTP_PROXY: own, HTTPS_PROXY: own };
  const exempt = [...words(others.no_proxy), ...hosts].join(',');
  return { ...named, ...others, no_proxy: exempt, NO_PROXY: exempt };
}

function redactor(urls: readonly string[]): (text: string) => string {
  const secrets = urls.flatMap((url) => {
    const login = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i.exec(url)?.[1];
    if (login === undefined) return [];
    const password = login.includes(':') ? login.slice(login.indexOf(':') + 1) : login;
    return [login, password, decodedLogin(password)].filter((secret) => secret.length > 3);
  });
  const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((left, secret) => left.replaceAll(secret, '****'), text);
}

function real(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (error) {
    return whenHidden(null)(error);
  }
}

function words(...texts: (string | undefined)[]): string[] {
  return [...new Set(texts.flatMap((text) => text?.split(/[\s,]+/).filter(Boolean) ?? []))];
}

function joined(values: string[]): string | undefined {
  return values.length === 0 ? undefined : values.join(' ');
}

function defined(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
