/** Reads the body of a request as JSON, within bounds: programs of a rollout may be hostile. */
import type { IncomingMessage } from 'node:http';
import { fault, type Result, success } from '../../basics/result.ts';
import type { ErrorCode } from '../dialects/dialect.ts';

/** Bytes of one body, and of all bodies of a rollout that are being read. */
const MAX_BODY = 64 << 20;
const MAX_READING = 128 << 20;
/** Milliseconds in which a body must have arrived whole. */
const ARRIVAL_MS = 300_000;
/** Lists and objects inside of each other. */
const MAX_DEPTH = 100;
/** Lists and objects in all: each takes far more memory than its bytes. */
const MAX_PARTS = 500_000;

/** Bytes of bodies that are being read, by rollout. */
const READING = new WeakMap<object, number>();

export interface BodyFault {
  code: ErrorCode;
  message: string;
}

/** The body, or what is wrong with it. `owner`: the rollout. */
export async function readBody(message: IncomingMessage, owner: object): Promise<Result<unknown, BodyFault>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const late = setTimeout(() => message.destroy(), ARRIVAL_MS);
  const isReading = (more: number) => READING.set(owner, (READING.get(owner) ?? 0) + more).get(owner)!;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (isReading(chunk.length) > MAX_READING || bytes > MAX_BODY)
        return fault({ code: 'too-large', message: `requests hold at most ${MAX_BODY >> 20} MiB` });
      chunks.push(chunk);
    }
    return parsed(Buffer.concat(chunks).toString('utf8'));
  } catch {
    // The connection broke, or the body did not arrive in time, so the client gets no answer.
    return fault({ code: 'invalid', message: 'the request did not arrive whole' });
  } finally {
    clearTimeout(late);
    isReading(-bytes);
  }
}

function parsed(text: string): Result<unknown, BodyFault> {
  const wrong = (message: string) => fault({ code: 'invalid', message } as const);
  const { depth, parts } = shapeOf(text);
  if (depth > MAX_DEPTH) return wrong(`the request nests more than ${MAX_DEPTH} times`);
  if (parts > MAX_PARTS) return wrong(`the request has more than ${MAX_PARTS} lists and objects`);
  try {
    return success(JSON.parse(text));
  } catch (error) {
    return wrong(`the request is not JSON: ${(error as Error).message}`);
  }
}

/** How deep lists and objects nest, and how many there are; brackets in strings do not count. */
function shapeOf(text: string): { depth: number; parts: number } {
  let parts = 0;
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      parts++;
      deepest = Math.max(deepest, ++depth);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return { depth: deepest, parts };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
