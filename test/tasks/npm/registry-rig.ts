/** A registry of npm on the loopback, for tests: packages that really install, behind a token. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tarGzOf } from '../../rig/tar.ts';

export interface OfferedPackage {
  version: string;
  /** Day of its release. */
  day: string;
  /** Of package.json. */
  manifest?: Record<string, unknown>;
  files: Record<string, string>;
}

export interface TestRegistry {
  url: string;
  packages: Map<string, OfferedPackage[]>;
  /** Paths that were asked for with the token. */
  asked: string[];
  /** Requests without the token. */
  strangers: number;
  /** Answers in place of the registry when it returns true. */
  intercept: ((message: IncomingMessage, response: ServerResponse) => boolean) | null;
  close(): Promise<void>;
}

export const TOKEN = 'npm_sekret-of-the-test';

export async function testRegistry(): Promise<TestRegistry> {
  const server = createServer((message, response) => {
    if (message.headers.authorization !== `Bearer ${TOKEN}`) {
      registry.strangers += 1;
      return void response.writeHead(401).end();
    }
    const path = decodeURIComponent(message.url ?? '').slice('/npm/'.length);
    registry.asked.push(path);
    if (registry.intercept?.(message, response)) return;
    const [name = '', file] = path.split('/-/');
    const offered = registry.packages.get(name);
    if (offered === undefined) return void response.writeHead(404).end('{}');
    if (file === undefined) return void response.end(JSON.stringify(documentOf(name, offered, registry.url)));
    const one = offered.find(({ version }) => file === `${version}.tgz`);
    if (one === undefined) return void response.writeHead(404).end();
    response.end(archiveOf(name, one));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const registry: TestRegistry = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm`,
    packages: new Map(),
    asked: [],
    strangers: 0,
    intercept: null,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return registry;
}

/** What npm is told to use it. */
export function npmVariables({ url }: TestRegistry): Record<string, string> {
  return { NPM_CONFIG_REGISTRY: `${url}/`, [`npm_config_${url.replace('http:', '')}/:_authToken`]: TOKEN };
}

function documentOf(name: string, offered: readonly OfferedPackage[], url: string) {
  const versions = offered.map((one) => {
    const bytes = archiveOf(name, one);
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    const dist = { tarball: `${url}/${name}/-/${one.version}.tgz`, integrity, unpackedSize: 1000 };
    return [one.version, { ...manifestOf(name, one), dist }] as const;
  });
  return {
    name,
    'dist-tags': { latest: offered.at(-1)?.version },
    time: Object.fromEntries(offered.map(({ version, day }) => [version, `${day}T00:00:00.000Z`])),
    versions: Object.fromEntries(versions),
  };
}

function manifestOf(name: string, { version, manifest }: OfferedPackage) {
  return { name, version, ...manifest };
}

function archiveOf(name: string, one: OfferedPackage): Buffer {
  const files = { 'package.json': JSON.stringify(manifestOf(name, one)), ...one.files };
  return tarGzOf(
    Object.entries(files).map(([path, content]) => ({
      name: `package/${path}`,
      content,
      mode: path.startsWith('bin/') ? 0o755 : 0o644,
    })),
  );
}
