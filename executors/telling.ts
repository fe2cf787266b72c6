/** Passes on what a command prints while it runs: whole characters, and no more bytes than its result may keep. */
import { StringDecoder } from 'node:string_decoder';

export class Telling {
  readonly #decoders = new Map<number, StringDecoder>();
  readonly #tell: (text: string) => void;
  #left: number;

  constructor(tell: (text: string) => void, most: number) {
    this.#tell = tell;
    this.#left = most;
  }

  /** `stream`: 1 or 2. */
  add(stream: number, bytes: Buffer): void {
    const taken = bytes.subarray(0, this.#left);
    this.#left -= taken.length;
    const decoder = this.#decoders.get(stream) ?? new StringDecoder('utf8');
    this.#decoders.set(stream, decoder);
    this.#pass(decoder.write(taken));
  }

  /** Nothing more comes. */
  end(): void {
    for (const decoder of this.#decoders.values()) this.#pass(decoder.end());
  }

  #pass(text: string): void {
    if (text !== '') this.#tell(text);
  }
}

/** Gives `tell` whole lines, and the rest when `end` is called. */
export function byLines(tell: (text: string) => void): { add(text: string): void; end(): void } {
  let held = '';
  return {
    add(text) {
      held += text;
      const end = held.lastIndexOf('\n') + 1;
      if (end > 0) tell(held.slice(0, end));
      held = held.slice(end);
    },
    end() {
      if (held !== '') tell(held);
      held = '';
    },
  };
}
