/**
 * The identity of a model's weights, for keys. A name is not enough, since another model may have it tomorrow.
 * Without `model.identity` the server must report a digest or revision. A folder on the server or an id of the hub is not
 * enough, since other weights can be put there. A time is not enough either: most servers report the time of the
 * request.
 */
import type { Fields } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ModelConfig } from '../../schemas/generated/project.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';
import type { ModelClient } from './client.ts';
import { DIGEST_KEYS } from './seen-weights.ts';

const REMEDY = 'set model.identity to what names the weights, such as ID@REVISION';

/** Facts about a model that may come from its server. */
export interface Identified {
  identity: string;
  /**
   * Context length in tokens; null: unknown. It comes from the project, or from a server that was also asked for the
   * identity. A server that was not asked for the identity decides nothing here.
   */
  context: number | null;
}

/** What the project writes, else what the server reports; `open` is called only for the latter. */
export async function modelIdentity(
  config: ModelConfig,
  open: () => Promise<Result<ModelClient, Infra>>,
  signal: AbortSignal,
  log?: (text: string) => void,
): Promise<Result<Identified, Infra>> {
  const { identity } = config;
  if (identity !== undefined) return success({ identity, context: config.context ?? null });
  const client = await open();
  if (!client.ok) return client;
  const info = await client.value.info(signal, log);
  if (!info.ok) return info;
  const reported = reportedIdentity(info.value.entry);
  if (reported.ok) return success({ identity: reported.value, context: info.value.context });
  const { baseUrl } = client.value.endpoint;
  return fault(infra('endpoint-refused', `${baseUrl}: ${reported.fault}; ${REMEDY}`));
}

/** The identity in an entry of /v1/models. The fault says why the entry is not enough. */
export function reportedIdentity(entry: Fields | null): Result<string, string> {
  if (entry === null) return fault('the server lists no model of this name');
  const { id, root } = entry;
  const source = typeof root === 'string' && root !== '' ? root : String(id);
  const digest = [entry, entry.meta as Fields | undefined]
    .flatMap((place) => DIGEST_KEYS.map((key) => place?.[key]))
    .find((value) => typeof value === 'string' && /^(?:[\w-]+:)?[0-9a-f]{7,}$/i.test(value));
  if (digest !== undefined) return success(`${source}@${digest}`);
  if (typeof root !== 'string' || root === id) return fault('the server reports no more than the name');
  const isFolder = /^(?:[./~\\]|[A-Za-z]:)/.test(root);
  return fault(
    isFolder
      ? `the server reports where the weights are (${root}), not which`
      : `the server reports ${root} without a revision, and its weights may change under this name`,
  );
}
