/** Settings of an agent from the project's keys, an agent file, and the defaults of its type; the first that has a value wins. */
import type { AgentConfig } from '../../schemas/generated/project.ts';
import type { AgentFile } from '../agent-file.ts';
import type { AgentSettings, AgentTemplates, ContextSettings, UserSettings } from '../settings.ts';
import type { MODEL_LOOP } from './keys.ts';
import type { Keys } from './kind.ts';

/** Variables of commands without an agent file. */
export const VARIABLES: Record<string, string> = {
  PAGER: 'cat',
  MANPAGER: 'cat',
  LESS: '-R',
  PIP_PROGRESS_BAR: 'off',
  TQDM_DISABLE: '1',
};

/** The whole history is shown. */
export const FULL: ContextSettings = {
  strategy: 'full',
  max_tokens: null,
  max_response_tokens: 0,
  head: 0,
  last_observations: 0,
  max_observation: null,
};

/** What a type decides by itself. */
export type Own = Pick<AgentSettings, 'dialect' | 'actions' | 'action_regex' | 'limits' | 'templates'>;

/** Settings with the defaults of `own`. */
export function layered(
  agent: Keys<typeof MODEL_LOOP>,
  file: AgentFile,
  { limits, templates, ...own }: Own,
): AgentSettings {
  const { submit, keeps_folder } = file;
  return {
    type: agent.type,
    ...own,
    templates: templatesOf(agent.templates, file, templates),
    limits: { ...limits, ...file.limits, ...written(agent.limits) },
    context: contextOf(agent, file),
    env: { ...(file.env ?? VARIABLES), ...agent.env },
    cwd: file.cwd ?? '/testbed',
    ...(agent.user === undefined ? {} : { user: userOf(agent.user) }),
    ...(submit === undefined ? {} : { submit }),
    ...(keeps_folder === undefined ? {} : { keeps_folder }),
  };
}

function userOf({ says, prompt = '', turns }: NonNullable<AgentConfig['user']>): UserSettings {
  return says === undefined ? { prompt, turns } : { says };
}

function templatesOf(
  { from: _, ...texts }: AgentConfig['templates'],
  file: AgentFile,
  own: AgentTemplates,
): AgentTemplates {
  return { ...own, ...file.templates, ...written(texts) };
}

/** Numbers of a strategy that is not used are left out, as settings are part of keys. */
function contextOf({ context, history, model }: Keys<typeof MODEL_LOOP>, file: AgentFile): ContextSettings {
  const shown = {
    last_observations: history.last_observations || (file.last_observations ?? 0),
    max_observation: history.max_observation ?? null,
  };
  if (context.strategy === 'full') return { ...FULL, ...shown };
  return {
    strategy: context.strategy,
    max_tokens: context.max_tokens ?? null,
    max_response_tokens: context.max_response_tokens ?? model?.max_tokens ?? 4096,
    head: context.strategy === 'head-tail' ? context.head : 0,
    ...shown,
  };
}

/** The object without keys whose value is undefined. */
function written<T extends object>(keys: T): { [K in keyof T]-?: Exclude<T[K], undefined> } {
  const set = Object.entries(keys).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]-?: Exclude<T[K], undefined> };
}
