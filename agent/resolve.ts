/**
 * Makes an agent's settings from the project's keys. A key of the project wins, then the file in `templates.from`, then the default of the
 * agent's type. Keys that such a file can set have no default in the project schema, so that a default cannot hide the file's value.
 */

import { fault, type Result, success } from '../basics/result.ts';
import type { AgentConfig, AgentOverrides } from '../schemas/generated/project.ts';
import { type AgentFile, NO_AGENT_FILE } from './agent-file.ts';
import { type OutsideSettings, outsideSettings } from './kinds/outside/layered.ts';
import { agentKind, keysOf } from './kinds/registry.ts';
import { readAgentFile } from './read-agent-file.ts';
import type { AgentSettings } from './settings.ts';
import type { AgentTexts } from './texts.ts';

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
  const kind = agentKind(agent.type);
  // A type sees the keys that it has, and no other.
  const known = new Set(keysOf(kind));
  const own = Object.fromEntries(Object.entries(agent).filter(([key]) => known.has(key))) as AgentConfig;
  const from = (own.templates as AgentConfig['templates'] | undefined)?.from;
  const file = from === undefined ? success(NO_AGENT_FILE) : await readFrom(from, readText);
  if (!file.ok) return file;
  const faulty = (problem: string) =>
    fault(from === undefined ? problem : `${problem} (templates.from is ${from})`);
  const wanted = file.value.type;
  if (wanted !== null && wanted !== agent.type)
    return faulty(`it is a file for agents of type ${wanted}: write agent.type: ${wanted}`);
  const settings = kind.settings(own, file.value);
  if (!settings.ok) return faulty(settings.fault);
  const problem = tryTexts ? await problemOf(settings.value) : null;
  return problem === null ? settings : faulty(problem);
}

/** What `agent` with `overrides` is as a program that drives itself; null: it is none. */
export function programOf(config: AgentConfig, overrides?: AgentOverrides): OutsideSettings | null {
  const agent = overlay(config, overrides);
  const kind = agentKind(agent.type);
  // swemake's own loop drives all that have one.
  if (kind.loop !== undefined) return null;
  const settings = kind.settings(agent, NO_AGENT_FILE);
  return settings.ok ? outsideSettings(settings.value) : null;
}

async function problemOf(settings: AgentSettings): Promise<string | null> {
  const texts = await textsOf(settings);
  return texts.ok ? (await import('./texts.ts')).trialTexts(texts.value) : texts.fault;
}

/** The texts of these settings, compiled. A build with nothing to do does not load what renders them. */
export async function textsOf(settings: AgentSettings): Promise<Result<AgentTexts, string>> {
  const { agentTexts } = await import('./texts.ts');
  return agentTexts(settings, agentKind(settings.type).loop?.(settings).rules.rawSystem);
}

function overlay(config: AgentConfig, overrides: AgentOverrides | undefined): AgentConfig {
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
