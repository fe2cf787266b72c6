/**
 * Makes an agent's settings from the project's keys. A key of the project wins, then the file in `templates.from`,
 * then the dialect. Keys that such a file can set have no default in the project schema, so that a default cannot
 * hide the file's value.
 */

import { fault, type Result, success } from '../basics/result.ts';
import type { AgentConfig, AgentOverrides } from '../schemas/generated/project.ts';
import { LOOSE_BASH_FENCE, marksFor, readsMarks } from './actions/fence.ts';
import { type AgentFile, NO_AGENT_FILE } from './agent-file.ts';
import { SWE_RL_TEMPLATES } from './dialects/swe-rl.ts';
import { toolsTemplates } from './dialects/tools.ts';
import { v2Templates } from './dialects/v2.ts';
import { printedPatch } from './printed-patch.ts';
import { readAgentFile } from './read-agent-file.ts';
import type {
  ActionFormat,
  AgentSettings,
  AgentTemplates,
  ContextSettings,
  Dialect,
  RolloutLimits,
} from './settings.ts';

const LIMITS: Record<Dialect, RolloutLimits> = {
  v2: { steps: 100, time: 3600, command: 60, cost: 0, format_errors: 3 },
  'swe-rl': { steps: 20, time: 3600, command: 180, cost: 0, format_errors: 0 },
};

const VARIABLES: Record<string, string> = {
  PAGER: 'cat',
  MANPAGER: 'cat',
  LESS: '-R',
  PIP_PROGRESS_BAR: 'off',
  TQDM_DISABLE: '1',
};

/**
 * Settings of `agent` with `overrides`. The fault is a sentence that names the key or file. Without `tryTexts`
 * templates are not rendered, so a build with nothing to do need not load the renderer.
 */
export async function agentSettings(
  config: AgentConfig,
  overrides: AgentOverrides | undefined,
  readText: (path: string) => Promise<string>,
  { tryTexts = true }: { tryTexts?: boolean } = {},
): Promise<Result<AgentSettings, string>> {
  const agent = overlay(config, overrides);
  if (agent.type === 'oracle' || agent.type === 'noop') return success(baseline(agent.type));
  const from = agent.templates.from;
  const file = from === undefined ? success(NO_AGENT_FILE) : await readFrom(from, readText);
  if (!file.ok) return file;
  const faulty = (problem: string) =>
    fault(from === undefined ? problem : `${problem} (templates.from is ${from})`);
  const wanted = file.value.type;
  if (wanted !== null && wanted !== agent.type)
    return faulty(`it is a file for agents of type ${wanted}: write agent.type: ${wanted}`);
  const misread = regexProblem(regexOf(agent, file.value));
  if (misread !== null) return faulty(misread);
  const settings = layered(agent, file.value);
  const problem = tryTexts ? await problemOf(settings) : null;
  return problem === null ? success(settings) : faulty(problem);
}

async function problemOf(settings: AgentSettings): Promise<string | null> {
  const { agentTexts, trialTexts } = await import('./texts.ts');
  const texts = await agentTexts(settings);
  return texts.ok ? trialTexts(texts.value) : texts.fault;
}

/** Baselines depend on nothing of the agent that they are compared with. */
function baseline(type: 'oracle' | 'noop'): AgentSettings {
  return {
    type,
    dialect: 'v2',
    actions: 'fence',
    action_regex: null,
    templates: v2Templates('fence'),
    limits: { ...LIMITS.v2, steps: 0, command: 600 },
    context: FULL,
    env: VARIABLES,
    cwd: '/testbed',
  };
}

type Keys = Pick<
  AgentConfig,
  | 'type'
  | 'dialect'
  | 'actions'
  | 'action_regex'
  | 'limits'
  | 'context'
  | 'history'
  | 'templates'
  | 'env'
  | 'model'
>;

function overlay(config: AgentConfig, overrides: AgentOverrides | undefined): Keys {
  if (overrides === undefined) return config;
  const { limits, context, history, templates, env, ...plain } = overrides;
  return {
    ...config,
    ...plain,
    limits: { ...config.limits, ...limits },
    context: { ...config.context, ...context },
    history: { ...config.history, ...history },
    templates: { ...config.templates, ...templates },
    ...(config.env === undefined && env === undefined ? {} : { env: { ...config.env, ...env } }),
  };
}

async function readFrom(
  path: string,
  readText: (path: string) => Promise<string>,
): Promise<Result<AgentFile, string>> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    return fault(`templates.from: ${path} cannot be read: ${(error as Error).message}`);
  }
  const read = await readAgentFile(text);
  return read.ok ? read : fault(`templates.from: ${path} cannot be used: ${read.fault}`);
}

function layered(agent: Keys, file: AgentFile): AgentSettings {
  const { type, dialect } = agent;
  const actions = actionsOf(agent, file);
  const { submit, keeps_folder } = file;
  const regex = regexOf(agent, file);
  const templates = templatesOf(agent, file, ownTemplates(type, dialect, actions, regex));
  const cwd = file.cwd ?? '/testbed';
  const printed = type === 'bash' && dialect === 'v2' ? printedPatch(templates.instance, cwd) : null;
  return {
    type,
    dialect,
    actions,
    action_regex: regex,
    templates,
    limits: { ...LIMITS[dialect], ...file.limits, ...written(agent.limits) },
    context: contextOf(agent, file),
    env: { ...(file.env ?? VARIABLES), ...agent.env },
    cwd,
    ...(printed === null ? {} : { printed_patch: printed }),
    ...(submit === undefined ? {} : { submit }),
    ...(keeps_folder === undefined ? {} : { keeps_folder }),
  };
}

/** null: the format's own. */
function regexOf(agent: Keys, file: AgentFile): string | null {
  if (actionsOf(agent, file) !== 'fence') return null;
  const ofFile = agent.actions === undefined && agent.dialect === 'v2' ? file.action_regex : null;
  return agent.action_regex ?? ofFile;
}

function actionsOf({ type, dialect, actions, action_regex: regex }: Keys, file: AgentFile): ActionFormat {
  if (type === 'tools') {
    if (actions === 'tool-calls') return actions;
    return actions === undefined && file.actions === 'tool-calls' ? 'tool-calls' : 'xml-functions';
  }
  if (actions !== undefined) return actions;
  // The format of the file is used with dialect v2 only, and not beside an expression of the project, which reads a fence.
  const ofFile = dialect === 'v2' && regex === undefined ? file.actions : null;
  return ofFile ?? 'fence';
}

function ownTemplates(
  type: Keys['type'],
  dialect: Dialect,
  actions: ActionFormat,
  regex: string | null,
): AgentTemplates {
  if (type === 'tools') return toolsTemplates(actions);
  return dialect === 'swe-rl' ? SWE_RL_TEMPLATES : v2Templates(actions, regex);
}

function templatesOf({ templates }: Keys, file: AgentFile, own: AgentTemplates): AgentTemplates {
  const { from: _, ...texts } = templates;
  return { ...own, ...file.templates, ...written(texts) };
}

const FULL: ContextSettings = {
  strategy: 'full',
  max_tokens: null,
  max_response_tokens: 0,
  head: 0,
  last_observations: 0,
  max_observation: null,
};

/** Numbers of a strategy that is not used are left out, as settings are part of keys. */
function contextOf({ context, history, model }: Keys, file: AgentFile): ContextSettings {
  const shown = {
    last_observations: history.last_observations || (file.last_observations ?? 0),
    max_observation: history.max_observation ?? null,
  };
  if (context.strategy === 'full') return { ...FULL, ...shown };
  return {
    strategy: context.strategy,
    max_tokens: context.max_tokens ?? null,
    max_response_tokens: context.max_response_tokens ?? model?.max_tokens ?? 4096,
    head: context.head,
    ...shown,
  };
}

/**
 * Names of default texts that show a command in a form that `action_regex` does not read. The texts of v2 adapt to an
 * expression that reads one of the usual marks, so they are named only when it reads none.
 */
export function misleadingTexts(settings: AgentSettings): string[] {
  const { type, dialect, actions, action_regex: regex, templates } = settings;
  if (type !== 'bash' || regex === null) return [];
  const own = ownTemplates(type, dialect, actions, regex);
  const shown = dialect === 'swe-rl' ? marksFor(LOOSE_BASH_FENCE)! : marksFor(regex);
  if (shown !== null && readsMarks(regex, shown)) return [];
  const showing = dialect === 'swe-rl' ? (['system', 'instance'] as const) : SHOWING;
  return showing.filter((name) => templates[name] === own[name]);
}

/** Texts that show how a command is written. */
const SHOWING = ['system', 'instance', 'format_error'] as const;

/** The object without keys whose value is undefined. */
function written<T extends object>(keys: T): { [K in keyof T]-?: Exclude<T[K], undefined> } {
  const set = Object.entries(keys).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]-?: Exclude<T[K], undefined> };
}

function regexProblem(regex: string | null): string | null {
  if (regex === null) return null;
  try {
    new RegExp(regex, 'su');
    return null;
  } catch (error) {
    return `action_regex is not a regular expression: ${(error as Error).message}`;
  }
}
