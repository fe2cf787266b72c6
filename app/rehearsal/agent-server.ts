/** The agent server that a rehearsed training asks. */

import { join } from 'node:path';
import { type Result, success } from '../../basics/result.ts';
import { publishToken } from '../../basics/server-token.ts';
import type { ResolvedProject } from '../../compiler/load.ts';
import { rlOf } from '../../contract/config.ts';
import type { CommandIo } from '../io.ts';
import { openAgent } from '../servers/agent.ts';
import { serveSettings } from '../servers/settings.ts';
import { type NoRehearsal, no } from './refusal.ts';

export interface Served {
  close: (() => Promise<void>) | null;
  unchecked: string[];
}

/** The agent server that the training asks, at the address that the project names. */
export async function openAgentServer(
  project: ResolvedProject,
  folder: string,
  io: CommandIo,
): Promise<Result<Served, NoRehearsal>> {
  const named = rlOf(project.config).env.SWEMAKE_AGENT_URL;
  if (typeof named !== 'string' || named === '') return success({ close: null, unchecked: [] });
  const [first = ''] = named.split(',');
  const url = URL.canParse(first) ? new URL(first) : null;
  if (url === null || !['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
    return no(
      'env.SWEMAKE_AGENT_URL',
      `${first} is not on this machine`,
      'name 127.0.0.1: --set trainer.rl.env.SWEMAKE_AGENT_URL=http://127.0.0.1:11000',
      2,
    );
  const listen = `127.0.0.1:${url.port || '80'}`;
  const values = {
    ...{
      listen,
      'token-file': undefined,
      'no-token': false,
      'tls-certificate': undefined,
      'tls-key': undefined,
    },
    folder: undefined,
  };
  const common = serveSettings('agent', 11_000, values, io);
  if (!common.ok) return no('env.SWEMAKE_AGENT_URL', common.fault.message, common.fault.remedy, 2);
  const settings = {
    ...common.value,
    folder: join(folder, 'episodes'),
    concurrent: null,
    waiting: 4096,
    idleLimit: 1800,
  };
  // What it logs of its rollouts is in their records.
  const opened = await openAgent(project, settings, { ...io, stderr: { write: () => true } });
  if (!opened.ok)
    return no(
      'env.SWEMAKE_AGENT_URL',
      `the agent server cannot start at ${listen}: ${opened.fault}`,
      'end what uses the port, or name another one',
      3,
    );
  const { bound, close } = opened.value;
  const { token } = common.value;
  const published = bound !== null && token !== null ? publishToken(bound, token, io.env) : null;
  if (published?.ok === false) {
    await close();
    return no(
      'env.SWEMAKE_AGENT_URL',
      `its token cannot be kept: ${published.fault}`,
      'set SWEMAKE_SERVER_TOKEN',
      3,
    );
  }
  return success({
    close: async () => {
      published?.value.withdraw();
      await close();
    },
    unchecked: named.includes(',') ? ['agent servers beside the first'] : [],
  });
}
