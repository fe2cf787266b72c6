/**
 * Node's side of stream_relay.py: connections of programs in a container, which come over the container's own stream, end
 * at Unix sockets of this machine: swemake's proxy, and services that the programs may reach.
 */
import { createConnection, type Socket } from 'node:net';
import { encodeFrame, type Frame } from '../sandbox/frames.ts';

/** Bytes on their way that the other side has not passed on. */
const WINDOW = 1 << 18;
/** Connections at once, as inside. */
const MOST = 256;

interface Link {
  socket: Socket;
  unanswered: number;
}

export class StreamRelay {
  readonly #links = new Map<number, Link>();

  constructor(
    private readonly sockets: readonly string[],
    private readonly send: (bytes: Buffer) => void,
  ) {}

  onFrame({ header, body }: Frame): void {
    const number = Number(header.link);
    if (header.net === 'open') this.#open(number, this.sockets[Number(header.place)]);
    const link = this.#links.get(number);
    if (link === undefined) return;
    switch (header.net) {
      case 'data':
        link.socket.write(body, () => this.#tell(number, 'taken', { bytes: body.length }));
        break;
      case 'taken':
        link.unanswered -= Number(header.bytes);
        if (link.unanswered < WINDOW) link.socket.resume();
        break;
      case 'end':
        link.socket.end();
        break;
      case 'close':
        this.#links.delete(number);
        link.socket.destroy();
        break;
    }
  }

  close(): void {
    for (const { socket } of this.#links.values()) socket.destroy();
    this.#links.clear();
  }

  #open(number: number, path: string | undefined): void {
    if (path === undefined || this.#links.size >= MOST) {
      this.#tell(number, 'reset');
      return;
    }
    const socket = createConnection({ path, allowHalfOpen: true });
    const link = { socket, unanswered: 0 };
    this.#links.set(number, link);
    let isJoined = false;
    socket.once('connect', () => {
      isJoined = true;
    });
    socket.on('data', (data: Buffer) => {
      link.unanswered += data.length;
      if (link.unanswered >= WINDOW) socket.pause();
      this.#tell(number, 'data', {}, data);
    });
    socket.on('end', () => this.#tell(number, 'end'));
    socket.on('error', () => socket.destroy());
    socket.on('close', (hadError) => {
      if (!this.#links.delete(number)) return;
      if (!isJoined) this.#tell(number, 'reset');
      else if (hadError || !socket.readableEnded) this.#tell(number, 'close');
    });
  }

  #tell(number: number, what: string, more: object = {}, body?: Buffer): void {
    this.send(encodeFrame({ op: 'net', id: 0, net: what, link: number, ...more }, body));
  }
}
