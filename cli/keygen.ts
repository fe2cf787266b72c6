/** `keygen`: makes the key with which a host signs what it writes to a remote cache. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import { newKeyPair } from '../cache/remote/signature.ts';
import { answerUsage, type CommandSpec, parseCommand } from './arguments.ts';

const KEYGEN = {
  name: 'keygen',
  summary: 'Make a key that signs answers of a remote cache, and print its public key.',
  positionals: [{ name: 'FILE', description: 'where the private key is written', required: true }],
  options: {},
  examples: [
    [
      'swemake keygen ~/.config/swemake/signing-key.pem',
      'for cache.remote.sign; the printed line is for cache.remote.trusted',
    ],
  ],
} as const satisfies CommandSpec;

export async function keygenCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(KEYGEN, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const path = resolve(io.cwd, parsed.positionals[0]!);
  const { privateKey, publicKey } = newKeyPair();
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, privateKey, { mode: 0o600, flag: 'wx' });
    chmodSync(path, 0o600);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    const message = isThere ? `${path} is there already` : (error as Error).message;
    return answerUsage({ kind: 'usage', message, remedy: 'name another file' }, io);
  }
  io.stdout.write(shown(`${publicKey}\n`));
  return 0;
}
