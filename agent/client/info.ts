/** Asks an endpoint what it is before the first chat request. The request also waits until the endpoint is up. */
import type { Fields } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { ModelClient, ModelInfo } from './client.ts';
import { isPassing, keyToSet, readRefusal } from './refusal.ts';
import { marksOfEntry } from './seen-weights.ts';

/** Where servers say how long a context may be: vLLM and SGLang, OpenRouter, Mistral, Groq, llama.cpp. */
const CONTEXT_KEYS = ['max_model_len', 'context_length', 'max_context_length', 'context_window', 'n_ctx'];

/**
 * Reads the model's entry from the list of models. A failed request is repeated as long as chat requests are. HTTP 401 and 403 are
 * faults; other final refusals give no entry.
 */
export async function fetchInfo(
  client: ModelClient,
  signal: AbortSignal,
  log: (text: string) => void = () => undefined,
): Promise<Result<ModelInfo, Infra>> {
  const { settings, endpoint } = client;
  const answer = await client.call({ method: 'get', path: '/models', signal, passing: isPassing, log });
  if (!answer.ok) return answer;
  if (answer.value.kind === 'status') {
    if (![401, 403].includes(answer.value.status))
      return success({ entry: null, context: settings.context ?? null });
    const { detail } = readRefusal(answer.value, { optional: [], tools: false });
    return fault(
      infra('endpoint-refused', `${endpoint.baseUrl}: ${detail}${keyToSet(detail, endpoint.hasKey)}`),
    );
  }
  const entry = entryOf(answer.value.body, settings.name);
  endpoint.memory(settings.name).weights.see(marksOfEntry(entry));
  return success({ entry, context: settings.context ?? contextOf(entry) });
}

/** Reads the list of models once and compares the marks of the weights. A failed request changes nothing. */
export async function lookAtWeights({
  settings,
  endpoint,
}: Pick<ModelClient, 'settings' | 'endpoint'>): Promise<void> {
  const { signal } = new AbortController();
  const answer = await endpoint.send({ method: 'get', path: '/models', signal }, LOOK_MS);
  if (answer?.kind !== 'body') return;
  endpoint.memory(settings.name).weights.see(marksOfEntry(entryOf(answer.body, settings.name)));
}

/** Milliseconds. */
const LOOK_MS = 10_000;

function entryOf(body: unknown, name: string): Fields | null {
  const data = (body as { data?: unknown } | null)?.data;
  const entries = Array.isArray(data) ? (data as Fields[]).filter((entry) => entry instanceof Object) : [];
  const named = entries.find(
    ({ id, aliases }) => id === name || (Array.isArray(aliases) && aliases.includes(name)),
  );
  // llama.cpp has one model and answers to any name.
  const only = entries.length === 1 && entries[0]!.owned_by === 'llamacpp' ? entries[0]! : null;
  return named ?? only;
}

function contextOf(entry: Fields | null): number | null {
  const places = [entry, entry?.meta as Fields | undefined];
  const values = places.flatMap((place) => CONTEXT_KEYS.map((key) => place?.[key]));
  const context = values.find((value) => typeof value === 'number' && value > 0);
  return (context as number | undefined) ?? null;
}
