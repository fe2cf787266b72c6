/** The local index before registries of a test, over real sockets, as the build proxy serves it. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Registry } from '../../../contract/build-index.ts';
import type { Seen } from '../../../tasks/index/send.ts';
import { type LocalIndex, startIndex } from '../../../tasks/index/server.ts';
import { temporaryFolder } from '../../rig/folder.ts';

export interface Door {
  index: LocalIndex;
  store: string;
  /** What each request showed. */
  seen: Seen[];
  /** A dialect as it was at `asOf`. */
  registry(dialect: string, asOf?: string | null): Registry;
  /** GETs a path below a dialect. */
  get(dialect: string, asOf: string | null, path: string, accept?: string): Promise<Response>;
  close(): Promise<void>;
}

export async function openDoor(
  env: NodeJS.ProcessEnv,
  options: { store?: string; maxBytes?: number } = {},
): Promise<Door> {
  const { store = temporaryFolder() } = options;
  const seen: Seen[] = [];
  const index = startIndex({ env, pause: 1, tries: 2, ...options, store });
  const server = createServer(async (message, response) => seen.push(await index.serve(message, response)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry = (dialect: string, asOf: string | null = null) => index.registry(dialect, origin, asOf);
  return {
    index,
    store,
    seen,
    registry,
    get: (dialect, asOf, path, accept) =>
      fetch(`${registry(dialect, asOf).url}/${path}`, accept === undefined ? {} : { headers: { accept } }),
    async close() {
      await index.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A home folder in which the clients of a registry use it, and a project of `files` to run them in. */
export function clientHome({ variables, files }: Registry, project: Record<string, string> = {}) {
  const home = temporaryFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  for (const [path, text] of Object.entries(project)) write(join('project', path), text);
  mkdirSync(join(home, 'project'), { recursive: true });
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...variables };
  return {
    home,
    project: join(home, 'project'),
    /** Runs a real client there. */
    run: (command: string, args: readonly string[], more: Record<string, string> = {}) =>
      new Promise<{ code: number; output: string }>((done) => {
        const cwd = join(home, 'project');
        const options = { cwd, env: { ...env, ...more }, timeout: 150_000 };
        execFile(command, [...args], options, (error, stdout, stderr) =>
          done({ code: error === null ? 0 : Number(error.code ?? 1), output: `${stdout}\n${stderr}` }),
        );
      }),
  };
}
