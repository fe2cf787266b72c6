/**
 * What keys contain of a model: which weights, and how they are sampled. Its address and waiting times are left out.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readPrice } from '../../agent/client/prices.ts';
import { whenAbsent } from '../../basics/absent.ts';
import type { Json } from '../../basics/canonical.ts';
import { shellWord } from '../../basics/shell.ts';
import { digestOfPath } from '../../cache/stat-memo.ts';
import type { AgentServices } from '../../contract/machine.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import { filesOfCommand } from '../../tasks/command-files.ts';
import { CHECKPOINT } from './solver.ts';

/** Keys of the model by which a reply is sampled. */
export const SAMPLING = [
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'repetition_penalty',
  'stop',
  'max_tokens',
] as const;

/** Keys of the model that decide a sample. */
const DECIDING = [...SAMPLING, 'extra', 'tokens', 'tool_format', 'context'] as const;

/** The part of a key that a model is; files count by content. */
export async function modelPart(
  model: ModelConfig,
  identity: string,
  services: AgentServices,
  uses: { prices: boolean },
): Promise<Json> {
  const sampling = DECIDING.filter((key) => model[key] !== undefined).map((key) => [key, model[key] as Json]);
  const files = {
    ...(model.tokenizer === undefined ? {} : { tokenizer: await tokenizerDigest(model.tokenizer, services) }),
    ...(model.prices === undefined || !uses.prices ? {} : { prices: await pricesOf(model, services) }),
  };
  return {
    identity,
    ...Object.fromEntries(sampling),
    ...(model.render === 'exact' && { render: model.render }),
    ...files,
    ...(await serverPart(model, services)),
  } as Json;
}

/**
 * How the project starts the server. The same weights answer differently with another quantization, template, parser
 * of tool calls or context length; files that its command and arguments name count by content. If the project writes an
 * identity, that stands for all of it.
 */
async function serverPart(
  { serve, identity }: ModelConfig,
  services: AgentServices,
): Promise<{ server?: Json }> {
  if (serve === undefined || (identity !== undefined && !identity.startsWith(CHECKPOINT))) return {};
  const { engine, command, args = [], env = {} } = serve;
  const words = [
    ...(engine === undefined ? [command ?? ''] : []),
    ...[...args, ...Object.values(env)].map(shellWord),
  ];
  const { projectFolder, cache, signal, config } = services;
  const activate =
    serve.deployment === undefined ? null : (config.deployments[serve.deployment]?.activate ?? null);
  const place = { folders: [projectFolder], projectFolder, env: services.env, activate, signal };
  const files = await filesOfCommand(words.join(' '), { ...place, database: cache.database });
  const started = engine === undefined ? { command: command ?? '' } : { engine };
  return { server: { ...started, args, env, ...(files.length === 0 ? {} : { files }) } };
}

/** Where a limit on the cost ends a rollout, the price of this very model decides. */
async function pricesOf({ prices, name = '' }: ModelConfig, { projectFolder }: AgentServices): Promise<Json> {
  const text = await readFile(resolve(projectFolder, prices!), 'utf8').catch(whenAbsent(null));
  if (text === null) return 'gone';
  const price = readPrice(text, name);
  return price.ok ? { ...price.value } : price.fault;
}

export async function tokenizerDigest(path: string, services: AgentServices): Promise<string[]> {
  const names = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja'];
  return Promise.all(names.map((name) => digestOf(`${path}/${name}`, services)));
}

async function digestOf(path: string, { cache, projectFolder }: AgentServices): Promise<string> {
  return (await digestOfPath(cache.database, resolve(projectFolder, path))) ?? 'gone';
}
