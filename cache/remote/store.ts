/**
 * A remote store: answers by key (`ac`) and contents by sha256 (`cas`), shared by hosts. Faults are values, and
 * callers go on without the store. Readers check contents, whatever the store is.
 */

export type Space = 'ac' | 'cas';

/** `refused`: rights are missing. `full`: no room, or too large. `broken`: another try may go well. */
export interface StoreFault {
  kind: 'fault';
  why: 'refused' | 'full' | 'broken';
  detail: string;
}

export type GetResult = { kind: 'found'; bytes: Buffer } | { kind: 'absent' } | StoreFault;
export type Presence = { kind: 'found' } | { kind: 'absent' } | StoreFault;
export type PutResult = { kind: 'kept' } | StoreFault;

export interface RemoteStore {
  /** For people; without credentials. */
  readonly name: string;
  /** The bytes under `name`; more than `most` of them are a fault. */
  get(space: Space, name: string, most: number): Promise<GetResult>;
  has(space: Space, name: string): Promise<Presence>;
  /** Under `ac` the last writer wins; under `cas` all writers write the same. A reader sees all of it or nothing. */
  put(space: Space, name: string, bytes: Uint8Array): Promise<PutResult>;
  close(): Promise<void>;
}
