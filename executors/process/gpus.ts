/**
 * Assigns the GPUs of this host to programs, each to one program at a time. If CUDA_VISIBLE_DEVICES is set, by the
 * owner of the host or a scheduler, only those devices are used. Otherwise they are numbered from 0, at most as many
 * as the driver shows.
 */
import { readdirSync } from 'node:fs';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Infra, infra } from '../../schemas/outcome.ts';

export const VISIBLE = 'CUDA_VISIBLE_DEVICES';

export interface GpuRequest {
  /** Devices that the program gets. */
  count: number;
  /** Devices that the deployment has. */
  of: number;
  /** Called while another program waits for devices of this one. */
  onWanted?: (() => void) | undefined;
}

export interface GpuLease {
  /** The value of CUDA_VISIBLE_DEVICES. */
  devices: string;
  free(): void;
}

interface Waiting {
  request: GpuRequest;
  take(devices: string[]): void;
}

export class Gpus {
  readonly #visible: string[] | null;
  /** Number of devices of this machine; null: not known. */
  readonly #present: number | null;
  readonly #taken = new Set<string>();
  /** Callbacks of the programs that have devices. */
  readonly #holders = new Set<() => void>();
  readonly #waiting: Waiting[] = [];

  constructor(env: NodeJS.ProcessEnv, present: number | null = presentDevices()) {
    this.#visible = visibleDevices(env[VISIBLE]);
    this.#present = present;
  }

  /** Waits until so many are free. First come, first served, so that a large request is not starved by small ones. */
  async take({ count, of, onWanted }: GpuRequest, signal?: AbortSignal): Promise<Result<GpuLease, Infra>> {
    const known = this.#devices(of);
    if (count > known.length) return fault(infra('tool-missing', this.#lack(count, of)));
    if (signal?.aborted) return fault(infra('cancelled', 'cancelled while it waited for GPUs'));
    const devices = await this.#wait({ count, of }, signal);
    if (devices === null) return fault(infra('cancelled', 'cancelled while it waited for GPUs'));
    let isFree = false;
    const listener = () => onWanted?.();
    this.#holders.add(listener);
    const free = () => {
      if (isFree) return;
      isFree = true;
      this.#holders.delete(listener);
      for (const device of devices) this.#taken.delete(device);
      this.#serve();
    };
    if (this.#waiting.length > 0) listener();
    return success({ devices: devices.join(','), free });
  }

  #wait(request: GpuRequest, signal: AbortSignal | undefined): Promise<string[] | null> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        request,
        take: (devices) => {
          signal?.removeEventListener('abort', giveUp);
          resolve(devices);
        },
      };
      const giveUp = () => {
        const place = this.#waiting.indexOf(waiting);
        if (place >= 0) this.#waiting.splice(place, 1);
        resolve(null);
        this.#serve();
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(waiting);
      this.#serve();
    });
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const free = this.#devices(first.request.of).filter((device) => !this.#taken.has(device));
      if (free.length < first.request.count) {
        for (const listener of this.#holders) listener();
        return;
      }
      this.#waiting.shift();
      const devices = free.slice(0, first.request.count);
      for (const device of devices) this.#taken.add(device);
      first.take(devices);
    }
  }

  /** No more than the deployment has, and no more than can be seen. */
  #devices(of: number): string[] {
    const length = Math.min(of, this.#present ?? of);
    return this.#visible?.slice(0, of) ?? Array.from({ length }, (_, index) => `${index}`);
  }

  #lack(count: number, of: number): string {
    const asked = `${count} GPUs are asked for`;
    if (count > of) return `${asked}, and the deployment has ${of}`;
    if (this.#visible === null) return `${asked}, and this machine has ${this.#present}`;
    return `${asked}, and ${VISIBLE} shows ${this.#visible.length}`;
  }
}

/** GPUs that NVIDIA's driver shows; null without any, since other makers' are found elsewhere. */
function presentDevices(): number | null {
  const found = readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
  return found === 0 ? null : found;
}

/** The devices that the variable names, as CUDA reads it: it stops at the first that is none. null: it is not set. */
export function visibleDevices(value: string | undefined): string[] | null {
  if (value === undefined) return null;
  const devices: string[] = [];
  for (const part of value.split(',').map((one) => one.trim())) {
    if (!/^(\d+|(GPU|MIG)-[\w./:-]+)$/.test(part) || devices.includes(part)) break;
    devices.push(part);
  }
  return devices;
}
