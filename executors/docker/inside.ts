/** The program that is sent to process 1 of a container, and the command that starts it with the image's own Python. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../basics/package-root.ts';
import { ownPythonCommand } from './own-python.ts';

/** In the order in which they need each other. */
const MODULES = [
  ...['sandbox/frames', 'sandbox/kernel', 'sandbox/calls', 'sandbox/call_filter'],
  ...['sandbox/confine', 'sandbox/tree'],
  ...['sandbox/watchdog', 'sandbox/pauses', 'sandbox/copy_layers', 'sandbox/lacks', 'sandbox/execution'],
  ...['sandbox/relay'],
  ...['sandbox/memory_events', 'sandbox/supervisor', 'docker/stream_relay', 'docker/inside'],
];
/** Where images have a Python; the first that is new enough is taken. */
const PYTHONS = [
  ...['/usr/bin/python3', '/usr/local/bin/python3', '/bin/python3'],
  ...['/opt/miniconda3/bin/python3', '/opt/conda/bin/python3', '/root/miniconda3/bin/python3'],
  ...['/opt/env/bin/python3', '/testbed/.venv/bin/python3', '/root/.venv/bin/python3'],
];
/** How the first process ends when there is none. */
export const NO_PYTHON = 97;
const IS_NEW = 'import sys; sys.exit(sys.version_info < (3, 8))';

export interface InsidePlan {
  /** Of the loopback, that lead out; 0: a free one. */
  ports: number[];
  /** The network is the container's own. */
  ownNetwork: boolean;
  /** Numbers of capabilities that only the beginning needs. */
  dropped: number[];
  /** Bytes that may be written; null: any number. */
  disk: number | null;
}

/** Facts from the first container of an image, with which others start faster. */
export interface KnownStart {
  /** The Python that is used; null: the one that swemake adds. */
  python: string | null;
  /** The program as compiled by that Python. */
  compiled: Buffer;
}

const texts = new Map<string, string>();

function read(name: string): string {
  const known = texts.get(name) ?? readFileSync(join(packageRoot(), 'executors', name), 'utf8');
  texts.set(name, known);
  return known;
}

/** The command of the first process: by the image's own Python, or by the one that is brought. */
export function startCommand(brought: boolean, known: KnownStart | null): string[] {
  if (brought) return ownPythonCommand(read('docker/boot.py'));
  const { python = null } = known ?? {};
  if (python !== null) return [python, '-ISEB', '-c', read('docker/boot.py')];
  const look = `for python in ${PYTHONS.join(' ')} "$(command -v python3)"; do`;
  const take = `  if [ -x "$python" ] && "$python" -ISEB -c '${IS_NEW}' 2>/dev/null; then exec "$python" -ISEB -c "$0"; fi`;
  return ['/bin/sh', '-c', [look, take, 'done', `exit ${NO_PYTHON}`].join('\n'), read('docker/boot.py')];
}

/** The bytes that it reads first. */
export function startBytes(plan: InsidePlan, known: KnownStart | null): Buffer {
  const compiled = known?.compiled ?? Buffer.alloc(0);
  const text = (path: string) => [path.slice(path.indexOf('/') + 1), read(`${path}.py`)];
  const modules = known === null ? MODULES.map(text) : [];
  const body = Buffer.from(JSON.stringify({ modules, plan, compiled: compiled.length }));
  return Buffer.concat([Buffer.from(body.length.toString(16).padStart(8, '0')), body, compiled]);
}
