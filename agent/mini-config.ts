/**
 * Reads a configuration of mini-swe-agent, version 1 or 2: texts, limits, variables, and the format of actions. Keys
 * without a meaning here (models, containers) are listed, so that users see that they do nothing.
 */
import { isFields } from '../basics/json.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { BASH_FENCE, TAG } from './actions/fence.ts';
import type { AgentFile } from './agent-file.ts';
import type { AgentTemplates, RolloutLimits } from './settings.ts';

/** Key in the file -> where its value goes. */
const TEXTS: Record<string, keyof AgentTemplates> = {
  'agent.system_template': 'system',
  'agent.instance_template': 'instance',
  'agent.action_observation_template': 'observation',
  'agent.format_error_template': 'format_error',
  'model.observation_template': 'observation',
  'model.format_error_template': 'format_error',
};

const NUMBERS: Record<string, keyof RolloutLimits> = {
  'agent.step_limit': 'steps',
  'agent.cost_limit': 'cost',
  'agent.wall_time_limit_seconds': 'time',
  'agent.max_consecutive_format_errors': 'format_errors',
  'environment.timeout': 'command',
};

const OTHERS = ['environment.env', 'environment.cwd', 'model.action_regex', 'model.model_class'];

/** Reads such a file; the fault says what is wrong with it. */
export function readMiniConfig(root: Record<string, unknown>): Result<AgentFile, string> {
  const values = flat(root);
  const problem = typeProblem(values);
  if (problem !== null) return fault(problem);
  const { used, unused } = pathsIn(root);
  if (used === 0) return fault('it has no setting of mini-swe-agent or SWE-agent that is used here');
  const texts = pick<string>(values, TEXTS) as Partial<AgentTemplates>;
  return success({
    type: null,
    templates: texts,
    limits: pick<number>(values, NUMBERS) as Partial<RolloutLimits>,
    env: variables(values.get('environment.env')),
    cwd: (values.get('environment.cwd') as string | undefined) || null,
    ...actionsOf(values, texts),
    unused,
  });
}

/** `section.key` -> value. */
function flat(root: Record<string, unknown>): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [section, content] of Object.entries(root)) {
    if (!isFields(content)) values.set(section, content);
    else for (const [key, value] of Object.entries(content)) values.set(`${section}.${key}`, value);
  }
  return values;
}

function typeProblem(values: Map<string, unknown>): string | null {
  for (const key of [...Object.keys(TEXTS), 'environment.cwd', 'model.action_regex'])
    if (isSet(values, key) && typeof values.get(key) !== 'string') return `${key} must be text`;
  for (const key of Object.keys(NUMBERS)) {
    const value = values.get(key);
    if (isSet(values, key) && (typeof value !== 'number' || !(value >= 0)))
      return `${key} must be a number that is not negative`;
  }
  const env = values.get('environment.env');
  return env === undefined || env === null || isFields(env) ? null : 'environment.env must be a map';
}

function isSet(values: Map<string, unknown>, key: string): boolean {
  return values.get(key) !== undefined && values.get(key) !== null;
}

function pick<T>(values: Map<string, unknown>, keys: Record<string, string>): Record<string, T> {
  const set = Object.entries(keys).filter(([key]) => isSet(values, key));
  return Object.fromEntries(set.map(([key, name]) => [name, values.get(key) as T]));
}

function variables(env: unknown): Record<string, string> | null {
  if (!isFields(env)) return null;
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value ?? '')]));
}

/**
 * The format of actions. Files rarely name it: it depends on the model's class, which is often set on the command
 * line. So it is read from the texts, which show the model what to write.
 */
function actionsOf(
  values: Map<string, unknown>,
  { system = '', instance = '' }: Partial<AgentTemplates>,
): Pick<AgentFile, 'actions' | 'action_regex'> {
  const regex = values.get('model.action_regex') as string | null | undefined;
  if (regex === TAG) return { actions: 'xml', action_regex: null };
  if (regex !== undefined && regex !== null) return { actions: 'fence', action_regex: regex };
  const shown = system + instance;
  if (shown.includes('```mswea_bash_command')) return { actions: 'fence', action_regex: null };
  if (shown.includes('<mswea_bash_command>')) return { actions: 'xml', action_regex: null };
  if (shown.includes('```bash') && values.has('agent.action_observation_template'))
    return { actions: 'fence', action_regex: BASH_FENCE };
  if (String(values.get('model.model_class') ?? '').includes('textbased'))
    return { actions: 'fence', action_regex: null };
  return { actions: shown === '' ? null : 'tool-calls', action_regex: null };
}

/** How many settings have a meaning here, and which have none. */
function pathsIn(root: Record<string, unknown>): { used: number; unused: string[][] } {
  const known = new Set([...Object.keys(TEXTS), ...Object.keys(NUMBERS), ...OTHERS]);
  const paths = Object.entries(root).flatMap(([section, content]) =>
    isFields(content) ? Object.keys(content).map((key) => [section, key]) : [[section]],
  );
  const unused = paths.filter((path) => !known.has(path.join('.')));
  return { used: paths.length - unused.length, unused };
}
