/**
 * Where npm's packages come from on this machine. Variables and npmrc files configure npm, so the same settings decide here: a machine
 * on which `npm install` works needs nothing more. Tokens stay in this process.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { whenHidden } from '../../basics/absent.ts';

export interface NpmSettings {
  /** The registry of a package, without a slash at the end. */
  registryOf(name: string): string;
  /** Headers that a URL of a registry is asked with. */
  headersOf(url: string): Record<string, string>;
  /** Files with certificates to trust besides Node's own. */
  certificates: string[];
  /** The variables that name npm's proxies. */
  env: NodeJS.ProcessEnv;
  /** Seconds without an answer after which a request is given up. */
  timeout: number;
}

const DEFAULT_REGISTRY = 'https://registry.npmjs.org';

/** The settings that `env` and the npmrc files it points to amount to. */
export function npmSettings(env: NodeJS.ProcessEnv): NpmSettings {
  const config = npmConfig(env);
  const certificates = [config.get('cafile'), env.SSL_CERT_FILE, env.NODE_EXTRA_CA_CERTS];
  return {
    registryOf(name) {
      const scope = /^(@[^/]+)\//.exec(name)?.[1];
      const own = scope === undefined ? undefined : config.get(`${scope}:registry`);
      return (own ?? config.get('registry') ?? DEFAULT_REGISTRY).replace(/\/+$/, '');
    },
    headersOf: (url) => authorization(url, config),
    certificates: [...new Set(certificates.flatMap((file) => (file?.trim() ? [file.trim()] : [])))],
    env: withProxies(env, config),
    timeout: Math.ceil((Number(config.get('fetch-timeout')) || 300_000) / 1000),
  };
}

/** Names as npm writes them in its files; variables win over the user's file, and that over the machine's. */
function npmConfig(env: NodeJS.ProcessEnv): Map<string, string> {
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    const key = /^npm_config_(.+)$/i.exec(name)?.[1];
    if (key === undefined || value === undefined || value === '') continue;
    // Registries of scopes and credentials keep their case.
    variables.set(/^(?:@|\/\/)/.test(key) ? key : key.toLowerCase().replaceAll('_', '-'), value);
  }
  const prefix = variables.get('prefix') ?? dirname(dirname(process.execPath));
  const files = [
    variables.get('globalconfig') ?? join(prefix, 'etc', 'npmrc'),
    variables.get('userconfig') ?? join(env.HOME ?? homedir(), '.npmrc'),
  ];
  return new Map([...files.flatMap((file) => [...parseNpmrc(textOf(file), env)]), ...variables]);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // npm ignores a file that may not be read, too.
    return whenHidden('')(error);
  }
}

/** `key = value`, with variables of the environment in values. */
function parseNpmrc(text: string, env: NodeJS.ProcessEnv): Map<string, string> {
  const config = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, key, value = ''] = /^\s*([^\s#;=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key === undefined) continue;
    const bare = value.replace(/^(["'])(.*)\1$/, '$2');
    config.set(
      key,
      bare.replace(/\$\{([^}?]+)\??\}/g, (whole, name: string) => env[name] ?? whole),
    );
  }
  return config;
}

/** npm names credentials by the address that they are for, and a package may lie below it. */
function authorization(url: string, config: ReadonlyMap<string, string>): Record<string, string> {
  const { host, pathname } = new URL(url);
  for (let path = pathname; path !== ''; path = path.replace(/[^/]*\/?$/, '')) {
    const at = `//${host}${path.endsWith('/') ? path : `${path}/`}:`;
    const token = config.get(`${at}_authToken`);
    if (token !== undefined) return { authorization: `Bearer ${token}` };
    const basic = config.get(`${at}_auth`);
    if (basic !== undefined) return { authorization: `Basic ${basic}` };
    const [user, password] = [config.get(`${at}username`), config.get(`${at}_password`)];
    if (user !== undefined && password !== undefined) {
      const pair = `${user}:${Buffer.from(password, 'base64').toString()}`;
      return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
  }
  return {};
}

function withProxies(env: NodeJS.ProcessEnv, config: ReadonlyMap<string, string>): NodeJS.ProcessEnv {
  const named = {
    http_proxy: config.get('proxy') ?? config.get('http-proxy'),
    https_proxy: config.get('https-proxy') ?? config.get('proxy'),
    no_proxy: config.get('noproxy'),
  };
  return { ...env, ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) };
}
