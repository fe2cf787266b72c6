/** A service of the test's own process behind a Unix socket, and programs that speak to it from inside of a workspace. */
import { createHash } from 'node:crypto';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Service {
  path: string;
  /** Connections that are open now, and the most that were. */
  open(): number;
  most(): number;
  /** Bytes that a connection of `flood` was given so far. */
  flooded(): number;
  /** Is deaf no more. */
  hear(): void;
  close(): Promise<void>;
}

/** Bytes of an answer to `flood`. */
export const FLOOD = 256 << 20;
const CHUNK = Buffer.alloc(1 << 16, 'swemake ');

/**
 * The first line of a connection says what it does. `name`: answers its own name. `echo`: all that comes goes back. `sum`: the
 * digest of all that came, then that again, once the other side has ended. `die`: half an answer, and then an end.
 * `flood`: more bytes than anybody holds. `deaf`: reads nothing. `at`: the folder of its socket.
 */
export async function startService(name: string, at?: string): Promise<Service> {
  const folder = at ?? (await mkdtemp(join(tmpdir(), 'swemake-reach-')));
  const path = join(folder, 'service.sock');
  const sockets = new Set<Socket>();
  let [most, flooded] = [0, 0];
  let isDeaf = true;
  const flood = (socket: Socket): void => {
    while (flooded < FLOOD && !socket.destroyed) {
      flooded += CHUNK.length;
      if (!socket.write(CHUNK)) return void socket.once('drain', () => flood(socket));
    }
  };
  const ways: Record<string, (socket: Socket, rest: Buffer) => void> = {
    name: (socket) => socket.end(`${name}\n`),
    echo(socket, rest) {
      socket.write(rest);
      socket.pipe(socket);
    },
    sum(socket, rest) {
      const parts = [rest];
      socket.on('data', (part: Buffer) => parts.push(part));
      socket.on('end', () => {
        const all = Buffer.concat(parts);
        socket.write(`${createHash('sha256').update(all).digest('hex')}\n`);
        socket.end(all);
      });
    },
    die: (socket) => socket.write('half', () => socket.destroy()),
    flood(socket) {
      socket.on('end', () => socket.destroy());
      flood(socket);
    },
    deaf(socket) {
      socket.on('end', () => socket.destroy());
      if (isDeaf) socket.pause();
    },
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let begun = Buffer.alloc(0);
    const onData = (part: Buffer) => {
      begun = Buffer.concat([begun, part]);
      const end = begun.indexOf('\n');
      if (end < 0) return;
      socket.off('data', onData);
      ways[begun.toString('utf8', 0, end)]?.(socket, begun.subarray(end + 1));
    };
    socket.on('data', onData);
    // A program that only connects ends without a word.
    socket.once('end', () => begun.length === 0 && socket.end());
  });
  // Socket addresses hold 107 bytes; a folder's descriptor makes a short path of any folder.
  const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  const short = `/proc/self/fd/${handle}/service.sock`;
  await new Promise<void>((resolve) => server.listen(short, resolve));
  // Sandboxes run as another user in some tests.
  await chmod(folder, 0o755);
  await chmod(path, 0o666);
  return {
    path,
    open: () => sockets.size,
    most: () => most,
    flooded: () => flooded,
    hear: () => {
      isDeaf = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      closeSync(handle);
      if (at === undefined) await rm(folder, { recursive: true });
    },
  };
}

/** A Python program with a function that says a first line and gives the socket. */
export function talk(port: number | undefined, program: string): string {
  const begin = [
    'import hashlib, os, socket, sys, threading, time',
    `PORT = ${port}`,
    'def say(line):',
    '    s = socket.create_connection(("127.0.0.1", PORT), 60)',
    '    s.sendall(line.encode() + b"\\n")',
    '    return s',
    'def rest(s):',
    '    return b"".join(iter(lambda: s.recv(1 << 16), b""))',
  ];
  return `python3 - <<'PROGRAM'\n${[...begin, program].join('\n')}\nPROGRAM`;
}

/**
 * A program that opens more connections than it may have, says `line` on each and sends more bytes, and reads nothing. It makes
 * /tmp/begun when many are open, and /tmp/said when it has sent what it could.
 */
export function hoard(line: string, bytes = 0): string {
  return [
    'import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))',
    'all = []',
    'for i in range(800):',
    '    s = socket.socket(); s.setblocking(False)',
    '    s.connect_ex(("127.0.0.1", PORT)); all.append(s)',
    '    if i == 600: open("/tmp/begun", "w").close()',
    'for s in all:',
    '    try:',
    `        s.sendall(b"${line}\\n" + bytes(${bytes}))`,
    '    except OSError: pass',
    'open("/tmp/said", "w").close(); time.sleep(600)',
  ].join('\n');
}
