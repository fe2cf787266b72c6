/** A router of agent servers as the command line asks for it. */
import type { Result } from '../../basics/result.ts';
import { type RouterOptions, startRouter } from '../../servers/agents/server.ts';
import type { Listening } from '../../servers/http/listen.ts';
import type { CommandIo } from '../io.ts';
import { shown } from '../shown.ts';
import { packageVersion } from '../version.ts';

export type RouterSettings = Omit<RouterOptions, 'version' | 'log' | 'lookEvery'>;

/** Milliseconds between two looks at a server. */
const LOOK_EVERY = 5000;

export function openRouter(settings: RouterSettings, io: CommandIo): Promise<Result<Listening, string>> {
  const log = (text: string) => io.stderr.write(shown(`${new Date().toISOString()} ${text}\n`));
  return startRouter({ ...settings, lookEvery: LOOK_EVERY, version: packageVersion(), log });
}
