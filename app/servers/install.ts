/** A server as a service of this machine: its token, its unit, and a start by systemd. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { complaintOf, hasSucceeded, runProgram } from '../../basics/program.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { makeToken } from '../../basics/server-token.ts';
import type { Address } from '../../servers/http/listen.ts';
import type { CommandIo } from '../io.ts';

/** Seconds in which a service must listen. */
const ANSWERS_WITHIN = 60;
/** Seconds for one call of systemctl, which waits for the unit. */
const SYSTEMCTL_WITHIN = 120;

/** Made where it is not there yet, for its owner alone. */
export function makeTokenFile(file: string, { cwd }: CommandIo): void {
  const path = resolve(cwd, file);
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, `${makeToken()}\n`, { mode: 0o600 });
}

/** Writes the unit and starts it, also where one of this name runs with other words. The fault says what to do. */
export async function installUnit(
  name: string,
  text: string,
  { env }: CommandIo,
): Promise<Result<{ unit: string; isNew: boolean }, string>> {
  // systemd's own variable; its first folder wins.
  const unit = join(env.SYSTEMD_UNIT_PATH?.split(':')[0] || '/etc/systemd/system', `${name}.service`);
  const isNew = !existsSync(unit) || readFileSync(unit, 'utf8') !== text;
  try {
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, text);
  } catch (error) {
    return fault(`${unit} cannot be written, so run this as root: ${(error as Error).message}`);
  }
  const calls = [['daemon-reload'], ['enable', name], [isNew ? 'restart' : 'start', name]];
  for (const words of calls) {
    const argv = ['systemctl', ...words];
    const end = await runProgram({ argv, env, timeout: SYSTEMCTL_WITHIN, leavesOthers: true });
    if (!hasSucceeded(end)) return fault(`${argv.join(' ')}: ${complaintOf(end)}`);
  }
  return success({ unit, isNew });
}

/** Whether a server comes to listen there. */
export async function comesToListen(address: Address): Promise<boolean> {
  const end = performance.now() + ANSWERS_WITHIN * 1000;
  while (!(await isListening(address))) {
    if (performance.now() > end) return false;
    await sleep(250);
  }
  return true;
}

function isListening(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = 'path' in address ? connect(address.path) : connect(address.port, localName(address.host));
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.end());
  });
}

/** Where a server on `host` is asked: one that listens on all addresses is asked on the loopback. */
export function localName(host: string): string {
  return host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
}
