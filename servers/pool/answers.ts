/** Answers of the pool to its clients. */
import { type Answer, NO_VERDICT, refusal } from '../http/route.ts';
import type { LeaseRecord } from './lease-table.ts';
import type { NodeReply } from './node-client.ts';

export function asAnswer(reply: NodeReply): Answer {
  if (reply.kind === 'answer') return { status: reply.status, json: reply.json };
  if (reply.kind === 'cancelled') return refusal(503, 'infra', 'the client that asked is gone', NO_VERDICT);
  return refusal(503, 'node_unreachable', reply.detail, NO_VERDICT);
}

export function leaseAnswer({ id, containerId, node }: LeaseRecord): Answer {
  return { json: { ok: true, lease_id: id, container_id: containerId, node_url: node } };
}

export function lostAnswer({ id }: LeaseRecord): Answer {
  return refusal(410, 'lease_lost', `the container of ${id} is gone with its node`, NO_VERDICT);
}
