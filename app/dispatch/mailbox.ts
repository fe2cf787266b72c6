/**
 * Messages that two machines leave for each other in the remote store. Each message has one writer, which overwrites it,
 * and its name says who reads it. Messages are stored beside the answers, under keys that no answer has.
 */
import { digestOf } from '../../basics/digest.ts';
import { parsedJson } from '../../basics/json.ts';
import type { RemoteStore } from '../../cache/remote/store.ts';

/**
 * `grant`: the sender of a job says that the job is still wanted. `report`: the machine that runs it reports its
 * progress.
 */
export type Topic = 'grant' | 'report';

export type Message<T> = { kind: 'found'; value: T } | { kind: 'absent' } | { kind: 'fault'; detail: string };

/** Bytes of a message. */
const MAX_BYTES = 32 * 1024 ** 2;

export class Mailbox {
  readonly #store: RemoteStore;

  constructor(store: RemoteStore) {
    this.#store = store;
  }

  /** Null when it is written, else why it is not. */
  async post(topic: Topic, id: string, value: object): Promise<string | null> {
    const kept = await this.#store.put('ac', nameOf(topic, id), Buffer.from(JSON.stringify(value)));
    return kept.kind === 'fault' ? kept.detail : null;
  }

  async read<T>(topic: Topic, id: string): Promise<Message<T>> {
    const got = await this.#store.get('ac', nameOf(topic, id), MAX_BYTES);
    if (got.kind !== 'found') return got;
    const value = parsedJson(got.bytes.toString('utf8'));
    return value === undefined
      ? { kind: 'fault', detail: 'a message that cannot be read' }
      : { kind: 'found', value: value as T };
  }
}

function nameOf(topic: Topic, id: string): string {
  return digestOf(`swemake ${topic} ${id}`);
}
