/** The four texts of an agent, compiled, and the variables that their templates know. */
import { type Result, success } from '../basics/result.ts';
import type { AgentSettings } from './settings.ts';
import type { RolloutTask } from './task.ts';
import { compileTemplate, type Template } from './templates.ts';

/** Progress of a rollout, for templates that show it. */
export interface Progress {
  n_model_calls: number;
  model_cost: number;
  elapsed_seconds: number;
}

/** Variables for the template of an observation. */
export interface ShownOutput {
  output: string;
  returncode: number;
  /** Why the command did not end by itself; empty when it did. */
  exception_info: string;
}

export interface ShownError {
  error: string;
  actions: string[];
  has_tool_calls: boolean;
  /** length: the reply was cut. */
  finish_reason: string;
}

/** Each may fail with a sentence that names the template and the variable. */
export interface AgentTexts {
  system(task: RolloutTask): Result<string, string>;
  instance(task: RolloutTask): Result<string, string>;
  observation(output: ShownOutput, progress: Progress): Result<string, string>;
  formatError(error: ShownError, progress: Progress): Result<string, string>;
  /** What a user says to this task, in order, or what a user that a model plays knows of it; empty texts are left out. */
  user(task: RolloutTask): Result<string[], string>;
}

/** Compiles the texts. `rawSystem`: the system text is no template. */
export async function agentTexts(
  settings: AgentSettings,
  rawSystem = false,
): Promise<Result<AgentTexts, string>> {
  const { templates } = settings;
  const system = rawSystem
    ? success(verbatim(templates.system))
    : await compileTemplate('system', templates.system);
  if (!system.ok) return system;
  const instance = await compileTemplate('instance', templates.instance);
  if (!instance.ok) return instance;
  const observation = await compileTemplate('observation', templates.observation);
  if (!observation.ok) return observation;
  const formatError = await compileTemplate('format_error', templates.format_error);
  if (!formatError.ok) return formatError;
  const ofUser: Template[] = [];
  for (const [name, text] of userTexts(settings)) {
    const template = await compileTemplate(name, text);
    if (!template.ok) return template;
    ofUser.push(template.value);
  }
  const base = baseVariables(settings);
  // A column of the row, such as `version` of SWE-bench, takes no name that every template has.
  const withTask = (task: RolloutTask) => ({ ...task.columns, ...base, ...START, ...taskVariables(task) });
  return success({
    system: (task) => system.value.render(withTask(task)),
    instance: (task) => instance.value.render(withTask(task)),
    observation: (output, progress) => observation.value.render({ ...base, ...progress, output }),
    formatError: (error, progress) => formatError.value.render({ ...base, ...progress, ...error }),
    user(task) {
      const texts: string[] = [];
      for (const template of ofUser) {
        const text = template.render(withTask(task));
        if (!text.ok) return text;
        if (text.value.trim() !== '') texts.push(text.value);
      }
      return success(texts);
    },
  });
}

/** The templates of a user with their names. */
function userTexts({ user }: AgentSettings): [string, string][] {
  if (user === undefined) return [];
  if ('prompt' in user) return [['user.prompt', user.prompt]];
  return user.says.map((text, at) => [`user.says[${at}]`, text]);
}

/** Renders what can be rendered without a task, to find mistakes before anything runs; null when there are none. */
export function trialTexts({ observation, formatError }: AgentTexts): string | null {
  const short = { output: 'x', returncode: 0, exception_info: '' };
  const long = { output: 'x'.repeat(200_000), returncode: -1, exception_info: 'timed out' };
  const none = { error: 'x', actions: [], has_tool_calls: false, finish_reason: 'stop' };
  const cut = { error: 'x', actions: ['x', 'y'], has_tool_calls: true, finish_reason: 'length' };
  const tried = [
    ...[short, long].map((output) => observation(output, START)),
    ...[none, cut].map((error) => formatError(error, START)),
  ];
  const wrong = tried.find((text) => !text.ok);
  return wrong === undefined || wrong.ok ? null : wrong.fault;
}

const START: Progress = { n_model_calls: 0, model_cost: 0, elapsed_seconds: 0 };

function verbatim(text: string): Template {
  return { render: () => success(text) };
}

/**
 * Variables with mini-swe-agent's names. Facts about the machine are fixed values, so that samples of one key do not
 * differ between machines.
 */
function baseVariables({ limits, cwd }: AgentSettings): Record<string, unknown> {
  return {
    step_limit: limits.steps,
    cost_limit: limits.cost,
    wall_time_limit_seconds: limits.time,
    max_consecutive_format_errors: limits.format_errors,
    timeout: limits.command,
    cwd,
    // SWE-agent's name for it.
    working_dir: cwd,
    system: 'Linux',
    release: '',
    version: '',
    machine: '',
  };
}

function taskVariables({ problem_statement, instance_id }: RolloutTask): Record<string, unknown> {
  return { instance_id, problem_statement, task: problem_statement };
}
