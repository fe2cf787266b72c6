/**
 * Models as rollouts use them: one set of endpoints per run, a client per model, and its counter of tokens.
 */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ModelClient, PolicyOptions } from '../../agent/client/client.ts';
import { endpointCounter } from '../../agent/client/counter.ts';
import { Endpoints } from '../../agent/client/endpoint.ts';
import { type Identified, modelIdentity } from '../../agent/client/identity.ts';
import { openModel } from '../../agent/client/model.ts';
import { type Price, readPrice } from '../../agent/client/prices.ts';
import type { TokenCounter } from '../../agent/context/counter.ts';
import { estimateCounter } from '../../agent/context/estimate-counter.ts';
import { withinSequence } from '../../agent/context/longest-sequence.ts';
import { tokenizerCounter } from '../../agent/context/tokenizer-counter.ts';
import { createJudge } from '../../agent/judge/judge.ts';
import type { Asker, Policy, ToolDefinition } from '../../agent/policy.ts';
import type { Judge } from '../../agent/rollout.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { type ModelTokenizer, readTokenizer } from '../../agent/tokens/tokenizer.ts';
import { whenUnreadable } from '../../basics/absent.ts';
import { canonicalJson } from '../../basics/canonical.ts';
import { Credential } from '../../basics/credential.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { AgentServices } from '../../contract/machine.ts';
import { once } from '../../contract/once.ts';
import { revealIn } from '../../contract/secrets.ts';
import type { ModelConfig, StepRewardsConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { LiveServer } from '../../tasks/serving/model-server.ts';
import { proxyFor } from '../../tasks/source/proxy.ts';
import { rememberChanges } from './changed-weights.ts';
import type { RolloutContext } from './context.ts';
import { endpointsOf } from './endpoints.ts';
import { type ClientWork, managedCounter, managedPolicy, type WithClient } from './managed-model.ts';
import { managedServer } from './managed-server.ts';

/** Which weights answer, and their context length. The server is asked if the project does not say it. */
export function identityOf(config: ModelConfig, services: AgentServices): Promise<Result<Identified, Infra>> {
  return clientsOf(
    config,
    services,
    services.waits,
  )(services.signal, (client, signal) =>
    modelIdentity(config, async () => success(client), signal, services.waits),
  );
}

/** What a trainer asks of a model. */
export interface TrainingOptions extends Pick<PolicyOptions, 'weightsChange'> {
  /** Tokens of the longest prompt and reply together; null: the endpoint alone limits them. */
  sequence?: number | null;
}

/** The model of a rollout, and what counts its tokens. */
export async function openModelFor(
  config: ModelConfig,
  settings: AgentSettings,
  { tools, sequence = null, ...options }: TrainingOptions & { tools: readonly ToolDefinition[] },
  context: RolloutContext,
): Promise<Result<{ policy: Policy; counter: TokenCounter | null }, Infra>> {
  const { strategy, max_response_tokens: maxTokens } = settings.context;
  const bounded = strategy !== 'full';
  const policy = await policyFor(config, { ...options, ...(bounded ? { maxTokens } : {}) }, context);
  if (!policy.ok) return policy;
  if (!bounded && sequence === null) return success({ policy: policy.value, counter: null });
  const counter = await counterFor(config, tools, context);
  if (!counter.ok) return counter;
  if (bounded) return success({ policy: policy.value, counter: counter.value });
  const limit = { sequence: sequence!, reply: config.max_tokens };
  return success({ policy: withinSequence(policy.value, counter.value, limit), counter: null });
}

/** Whom a rollout asks beside its own model. */
type AskerOptions = Pick<PolicyOptions, 'weightsChange'> & Omit<Asker, 'policy'>;

/** The judge of one rollout's steps. */
export async function judgeFor(
  config: StepRewardsConfig,
  options: AskerOptions,
  context: RolloutContext,
): Promise<Result<Judge, Infra>> {
  const asker = await askerFor(config.model, options, context);
  return asker.ok ? success(createJudge(config, asker.value)) : asker;
}

/** The model of this configuration, as one rollout asks it. */
export async function askerFor(
  config: ModelConfig,
  { seed, session, ...options }: AskerOptions,
  context: RolloutContext,
): Promise<Result<Asker, Infra>> {
  const policy = await policyFor(config, options, context);
  return policy.ok ? success({ policy: policy.value, seed, session }) : policy;
}

/** The fault when an endpoint has other weights than at the start of the run. Those that swemake starts it knows itself. */
export async function changedWeightsOf(config: ModelConfig, services: AgentServices): Promise<Infra | null> {
  if (config.serve !== undefined) return null;
  const client = await clientOf(config, null, services);
  return client.ok ? client.value.changedWeights() : client.fault;
}

/** What asks a model, and how. */
export async function policyFor(
  config: ModelConfig,
  bounds: PolicyOptions,
  context: RolloutContext,
): Promise<Result<Policy, Infra>> {
  const options = { ...bounds, log: context.waits };
  const withClient = clientsOf(config, context, context.waits);
  return withClient(context.signal, async (client) =>
    success(config.serve === undefined ? client.policy(options) : managedPolicy(withClient, client, options)),
  );
}

async function counterFor(
  config: ModelConfig,
  tools: readonly ToolDefinition[],
  context: RolloutContext,
): Promise<Result<TokenCounter, Infra>> {
  const withClient = clientsOf(config, context, context.waits);
  const open = (client: ModelClient, signal: AbortSignal) => counterOf(client, tools, { ...context, signal });
  const counter = await withClient(context.signal, open);
  const asks = counter.ok && counter.value.name === 'endpoint' && config.serve !== undefined;
  return asks ? success(managedCounter(withClient, open, context.signal)) : counter;
}

/** By the model's tokenizer where the project names it, else by the endpoint, else an estimate; the trajectory says which. */
async function counterOf(
  client: ModelClient,
  tools: readonly ToolDefinition[],
  { shared, signal, projectFolder }: RolloutContext,
): Promise<Result<TokenCounter, Infra>> {
  const { tokenizer } = client.settings;
  if (tokenizer === undefined) {
    const counted = await endpointCounter(client, { tools, signal });
    return counted.ok ? success(counted.value ?? estimateCounter(tools)) : counted;
  }
  const read = await tokenizerAt(tokenizer, { shared, projectFolder });
  return read.ok ? success(tokenizerCounter(read.value, tools)) : read;
}

/** Read once per run. */
async function tokenizerAt(
  path: string,
  { shared, projectFolder }: Pick<AgentServices, 'shared' | 'projectFolder'>,
): Promise<Result<ModelTokenizer, Infra>> {
  const folder = resolve(projectFolder, path);
  try {
    return success(await once(shared, `tokenizer ${folder}`, () => readTokenizer(folder)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fault(infra('tool-missing', `model.tokenizer ${path} cannot be used: ${why}`));
  }
}

/** What uses a model's client; where swemake starts the model's server, the client of the one that is up. */
function clientsOf(
  config: ModelConfig,
  services: AgentServices,
  log: (text: string) => void = () => undefined,
): WithClient {
  return async <T, F extends { status: string }>(signal: AbortSignal, work: ClientWork<T, F>) => {
    const using = async (up: LiveServer | null, either: AbortSignal): Promise<Result<T, F | Infra>> => {
      const client = await clientOf(config, up, services);
      return client.ok ? work(client.value, either) : client;
    };
    const server = managedServer(config, services);
    return server === null ? using(null, signal) : server.use(signal, log, using);
  };
}

/** One client per model, server and run. */
async function clientOf(
  config: ModelConfig,
  up: LiveServer | null,
  services: AgentServices,
): Promise<Result<ModelClient, Infra>> {
  const name = `model ${canonicalJson(config)} ${up?.number ?? ''}`;
  return once(
    services.shared,
    name,
    () => openClient(config, up, services),
    ({ ok }) => ok,
  );
}

async function openClient(
  config: ModelConfig,
  up: LiveServer | null,
  services: AgentServices,
): Promise<Result<ModelClient, Infra>> {
  const { name, api_key: placeholder, tokenizer } = config;
  const baseUrl = addressOf(config, up);
  if (baseUrl === undefined || name === undefined)
    return fault(infra('endpoint-refused', 'the model has no base_url or no name'));
  const revealed = services.secrets.reveal(placeholder === undefined ? {} : { key: placeholder });
  if (!revealed.ok) return revealed;
  const { key } = revealed.value;
  const extra = revealIn(config.extra ?? {}, services.secrets);
  if (!extra.ok) return extra;
  const price = await priceOf(config, services);
  if (!price.ok) return price;
  const endpoints = endpointsOf(
    services,
    () => new Endpoints((url) => proxyFor(url, services.env), services.stopping),
  );
  const client = openModel(
    { ...config, base_url: baseUrl, name, extra: extra.value },
    {
      ...{ endpoints, credential: key === undefined ? null : Credential.bearer(key, baseUrl) },
      price: price.value,
      writtenExtra: config.extra ?? {},
      ...(tokenizer !== undefined && { tokenizer: () => tokenizerAt(tokenizer, services) }),
    },
  );
  if (client.ok && config.identity !== undefined)
    rememberChanges(client.value.endpoint.memory(name).weights, config.identity, services);
  return client;
}

/** Where the model is asked: where the project says, or where the server came up that it says to start. */
function addressOf({ base_url: url }: ModelConfig, up: LiveServer | null): string | undefined {
  if (up === null) return url;
  return `${up.url}${url === undefined ? '/v1' : new URL(url).pathname}`;
}

async function priceOf(config: ModelConfig, services: AgentServices): Promise<Result<Price | null, Infra>> {
  if (config.prices === undefined) return success(null);
  const path = resolve(services.projectFolder, config.prices);
  const text = await readFile(path, 'utf8').catch(whenUnreadable(null));
  if (text === null) return fault(infra('tool-missing', `${config.prices}: the price table cannot be read`));
  const price = readPrice(text, config.name!);
  return price.ok ? price : fault(infra('tool-missing', `${config.prices}: ${price.fault}`));
}
