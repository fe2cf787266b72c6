/** Which machines a command is about: those of a project, those that are named, else those of the original servers' variables. */

import type { Member } from '../app/fleet.ts';
import type { CommandIo } from '../app/io.ts';
import type { WrongSetting } from '../app/servers/settings.ts';
import type { Result } from '../basics/result.ts';
import { addressProblem } from '../basics/server-connection.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import { option } from './arguments.ts';

export const FLEET_OPTIONS = {
  pool: { ...option('URL', 'a pool server'), multiple: true },
  node: { ...option('URL', 'a node server'), multiple: true },
  'token-file': option(
    'FILE',
    'file with the token of the named servers (default: SWEMAKE_SERVER_TOKEN, else what is found for servers of this user on loopback)',
  ),
} as const;

interface Named {
  pool: readonly string[];
  node: readonly string[];
  'token-file': string | undefined;
}

/**
 * Named machines come before those of the project. `isElse`: there is something else to show, so there may be no
 * machines.
 */
export async function fleetOf(
  project: ResolvedProject | null,
  values: Named,
  { env, cwd }: CommandIo,
  isElse = false,
): Promise<Result<Member[], WrongSetting>> {
  const { membersOf, namedMembers } = await import('../app/fleet.ts');
  const { tokenOf, wrong } = await import('../app/servers/settings.ts');
  const isNamed = values.pool.length + values.node.length > 0;
  const token = tokenOf(values['token-file'], env, cwd);
  if (!token.ok) return token;
  const members =
    project !== null && !isNamed ? membersOf(project, env) : namedMembers(values, token.value, env);
  const odd = members.find(({ address }) => addressProblem(address) !== null);
  if (odd !== undefined)
    return wrong(
      `this is not an address: "${odd.address}"`,
      'for example: http://10.0.0.1:5000, or unix:/run/node.sock',
    );
  if (members.length > 0 || isElse) return { ok: true, value: members };
  return wrong(
    project === null ? 'no fleet is named' : 'the project has no nodes and names no pool and no cluster',
    'name a project, or give --pool URL or --node URL; see nodes and deployments.ID.url in docs/reference.md',
  );
}
