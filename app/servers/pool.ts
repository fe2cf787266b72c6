/** A pool server as the command line asks for it. */
import type { Result } from '../../basics/result.ts';
import type { Listening } from '../../servers/http/listen.ts';
import { type PoolServerOptions, startPool } from '../../servers/pool/server.ts';
import type { CommandIo } from '../io.ts';
import { shown } from '../shown.ts';
import { packageVersion } from '../version.ts';
import { makeFolder } from './settings.ts';

export type PoolSettings = Omit<PoolServerOptions, 'version' | 'log' | 'lookEvery'>;

/** Milliseconds between two looks at a node. */
const LOOK_EVERY = 5000;

export function openPool(settings: PoolSettings, io: CommandIo): Promise<Result<Listening, string>> {
  makeFolder(settings.folder);
  const log = (text: string) => io.stderr.write(shown(`${new Date().toISOString()} ${text}\n`));
  return startPool({ ...settings, lookEvery: LOOK_EVERY, version: packageVersion(), log });
}
