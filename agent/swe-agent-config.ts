/**
 * Reads a configuration of SWE-agent 1: texts, tools, the format of calls, limits, and what of the history is shown.
 * A setting that would change the agent and has no counterpart here is an error that names it. A setting that does
 * not change prompts is listed as unused.
 */
import { type Fields, fieldsOf, isFields } from '../basics/json.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { type AgentFile, NO_AGENT_FILE } from './agent-file.ts';
import type { SweAgent } from './kinds/kind.ts';
import { AGENTS } from './kinds/registry.ts';
import type { AgentType, SubmitSettings } from './settings.ts';

/** SWE-agent's parsers, with the type that reads replies as they do. */
const PARSERS = new Map(
  AGENTS.flatMap(({ name, sweAgent }) =>
    Object.entries(sweAgent?.parsers ?? {}).map(([parser, reads]) => [
      parser,
      { type: name as AgentType, reads, sweAgent: sweAgent! },
    ]),
  ),
);

/** Tool bundles by the last part of their path. `none`: it adds nothing that a model sees. */
const BUNDLES: Record<string, 'none' | 'editor' | 'submit' | 'review'> = {
  registry: 'none',
  diff_state: 'none',
  edit_anthropic: 'editor',
  submit: 'submit',
  review_on_submit_m: 'review',
};

const NEXT_STEP = 'Observation: {{observation}}';
const TRUNCATED =
  'Observation: {{observation[:max_observation_length]}}<response clipped><NOTE>Observations should not exceeded {{max_observation_length}} characters. {{elided_chars}} characters were elided. Please try a different command that produces less output or use head/tail/grep/redirect the output to a file. Do not use interactive pagers.</NOTE>';
const MAX_CHARACTERS = 100_000;

const TEXTS = [
  'system_template',
  'instance_template',
  'next_step_template',
  'next_step_no_output_template',
  'next_step_truncated_observation_template',
];
/** Keys of `agent` that are read, or change no text that is shown; all others are unused. */
const READ = [
  'type',
  ...TEXTS.map((name) => `templates.${name}`),
  'templates.max_observation_length',
  'templates.strategy_template',
  'templates.demonstrations',
  'templates.put_demos_in_history',
  'templates.disable_image_processing',
  'tools.bundles',
  'tools.enable_bash_tool',
  'tools.execution_timeout',
  'tools.env_variables',
  'tools.parse_function',
  'tools.registry_variables',
  'history_processors',
  'model.per_instance_cost_limit',
  'model.per_instance_call_limit',
  'max_requeries',
];

/**
 * Whether a file is a configuration of SWE-agent: it has texts in `agent.templates`, tools in `agent.tools`, or a
 * list of agents.
 */
export function isSweAgentConfig(root: Fields): boolean {
  const { agent } = root;
  return (
    isFields(agent) &&
    (isFields(agent.templates) || isFields(agent.tools) || Array.isArray(agent.agent_configs))
  );
}

/** The fault names the settings that are not supported. */
export function readSweAgentConfig(root: Fields): Result<AgentFile, string> {
  const agent = root.agent as Fields;
  const templates = fieldsOf(agent.templates);
  const tools = fieldsOf(agent.tools);
  const model = fieldsOf(agent.model);
  const parser = String(fieldsOf(tools.parse_function).type ?? 'function_calling');
  const written = PARSERS.get(parser);
  if (written === undefined)
    return fault(
      `agent.tools.parse_function.type "${parser}" is not there; there is ${[...PARSERS.keys()].join(', ')}`,
    );
  const { type, reads, sweAgent } = written;
  const problem = foreign(agent, templates) ?? toolProblem(tools, sweAgent);
  if (problem !== null) return fault(problem);
  const history = shownObservations(agent.history_processors);
  if (typeof history === 'string') return fault(history);
  const submit = submitOf(tools);
  if (typeof submit === 'string') return fault(submit);
  const text = (key: string) => templates[key] as string | undefined;
  const longest = wholeNumber(templates.max_observation_length ?? MAX_CHARACTERS) ?? MAX_CHARACTERS;
  const env = variables(tools.env_variables);
  return success({
    ...NO_AGENT_FILE,
    type,
    ...reads,
    templates: {
      system: text('system_template') ?? '',
      instance: text('instance_template') ?? '',
      observation: observationText(templates, longest),
    },
    limits: {
      ...numberOf('command', tools.execution_timeout),
      ...numberOf('steps', model.per_instance_call_limit),
      ...numberOf('cost', model.per_instance_cost_limit),
      ...numberOf('format_errors', agent.max_requeries),
    },
    env,
    ...(history === 0 ? {} : { last_observations: history }),
    ...sweAgent.adds({ env }, submit),
    unused: unusedIn(root, agent),
  });
}

/** Settings that would change the agent and are not supported. */
function foreign(agent: Fields, templates: Fields): string | null {
  const type = agent.type ?? 'default';
  // SWE-MiniSandbox has another name for the same loop.
  if (!['default', 'empty', 'skysbdefault'].includes(String(type)))
    return `agent.type "${String(type)}" is not there; there is default`;
  const demonstrations = templates.demonstrations;
  if (Array.isArray(demonstrations) && demonstrations.length > 0)
    return 'agent.templates.demonstrations cannot be shown to a model here';
  if (templates.strategy_template) return 'agent.templates.strategy_template cannot be shown to a model here';
  const wrong = TEXTS.find((key) => templates[key] !== undefined && typeof templates[key] !== 'string');
  if (wrong !== undefined) return `agent.templates.${wrong} must be text`;
  const missing = ['system_template', 'instance_template'].find((key) => templates[key] === undefined);
  if (missing !== undefined) return `agent.templates.${missing} is missing`;
  const { max_observation_length: longest } = templates;
  return longest === undefined || wholeNumber(longest) !== null
    ? null
    : 'agent.templates.max_observation_length must be a whole number';
}

/** Python's YAML takes 10_000 for a number. */
function wholeNumber(value: unknown): number | null {
  const number = typeof value === 'string' ? Number(value.replaceAll('_', '')) : value;
  return Number.isInteger(number) && Number(number) > 0 ? Number(number) : null;
}

function bundlesOf(tools: Fields): string[] {
  const listed = Array.isArray(tools.bundles) ? tools.bundles : [];
  return listed.map((bundle) => String(fieldsOf(bundle).path ?? '').replace(/\/+$/, ''));
}

function toolProblem(tools: Fields, { toolProblem: problemOf }: SweAgent): string | null {
  const bundles = bundlesOf(tools);
  const kinds = new Set<string>();
  for (const path of bundles) {
    const name = path.split('/').at(-1)!;
    const kind = Object.hasOwn(BUNDLES, name) ? BUNDLES[name] : undefined;
    if (kind === undefined)
      return `agent.tools.bundles: there are no tools of "${path}" here; there is edit_anthropic, submit, review_on_submit_m and bash`;
    kinds.add(kind);
  }
  if (tools.enable_bash_tool === false) return 'agent.tools.enable_bash_tool: agents always have bash here';
  const problem = problemOf(kinds.has('editor'));
  if (problem !== null) return `agent.tools.bundles: ${problem}`;
  if (!kinds.has('submit') && !kinds.has('review'))
    return 'agent.tools.bundles: without submit or review_on_submit_m nothing is handed in';
  return null;
}

/** What is shown before work is handed in; the text says what is wrong. */
function submitOf(tools: Fields): SubmitSettings | string {
  const reviews = bundlesOf(tools).some((path) => path.endsWith('review_on_submit_m'));
  if (!reviews) return { review: [] };
  const messages = fieldsOf(tools.registry_variables).SUBMIT_REVIEW_MESSAGES;
  const key = 'agent.tools.registry_variables.SUBMIT_REVIEW_MESSAGES';
  if (!Array.isArray(messages) || !messages.every((one) => typeof one === 'string'))
    return `${key} must be a list of texts`;
  const other = messages
    .flatMap((one) => [...one.matchAll(/\{\{\s*(\w+)/g)])
    .find(([, name]) => name !== 'diff');
  if (other !== undefined) return `${key} knows only {{diff}} here, not {{${other[1]}}}`;
  // As its tool prints them.
  return { review: messages.map((message) => `${message}\n`) };
}

/** Newest observations that are shown; 0: all. The text says what is not known. */
function shownObservations(processors: unknown): number | string {
  let shown = 0;
  for (const one of Array.isArray(processors) ? processors : []) {
    const { type, n, ...rest } = fieldsOf(one);
    // This processor only tells some servers what to cache.
    if (type === 'cache_control' || type === 'default') continue;
    const more = Object.keys(rest);
    if (type !== 'last_n_observations' || more.length > 0 || !Number.isInteger(n))
      return `agent.history_processors: "${String(type)}"${more.length > 0 ? ` with ${more.join(', ')}` : ''} is not there; there is last_n_observations with n`;
    shown = Number(n);
  }
  return shown;
}

/**
 * One template from the four of SWE-agent: for a command that was ended, for no output, for a long output, and for
 * others.
 */
function observationText(templates: Fields, longest: number): string {
  const text = (key: string, otherwise: string) => (templates[key] as string | undefined) ?? otherwise;
  const usual = text('next_step_template', NEXT_STEP);
  const none = text('next_step_no_output_template', usual);
  const long = text('next_step_truncated_observation_template', TRUNCATED);
  return [
    "{% set observation = output.exception_info ~ ('\\n' if output.exception_info and output.output else '') ~ output.output %}",
    `{% set max_observation_length = ${longest} %}`,
    `{% set elided_chars = observation|length - ${longest} %}`,
    `{% if observation|trim == '' %}${none}`,
    `{% elif observation|length > ${longest} %}${long}`,
    `{% else %}${usual}{% endif %}`,
  ].join('');
}

function unusedIn(root: Fields, agent: Fields): string[][] {
  const others = Object.keys(root).filter((key) => key !== 'agent');
  const own = Object.entries(agent).flatMap(([key, value]): string[][] =>
    isFields(value) ? Object.keys(value).map((name) => ['agent', key, name]) : [['agent', key]],
  );
  const isRead = (path: string[]) => READ.includes(path.slice(1).join('.'));
  return [...others.map((key) => [key]), ...own.filter((path) => !isRead(path))];
}

function numberOf<K extends string>(name: K, value: unknown): Partial<Record<K, number>> {
  return typeof value === 'number' && value >= 0 ? ({ [name]: value } as Partial<Record<K, number>>) : {};
}

function variables(given: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fieldsOf(given)).map(([name, value]) => [name, String(value ?? '')]),
  );
}
