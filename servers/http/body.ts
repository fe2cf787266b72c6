/**
 * Reads a request's body within limits: of one body, of all bodies that are being read, and of the time. A body that
 * is too large or too slow is refused while it comes.
 */

import type { IncomingMessage } from 'node:http';
import { isFields } from '../../basics/json.ts';
import { fault, type Result, success } from '../../basics/result.ts';
import { type Answer, refusal } from './route.ts';

/** Seconds without a byte. */
const SILENT = 15;
/** Seconds for a whole JSON body. */
const WHOLE = 120;
/** Bytes of all bodies that are being read. */
const TOGETHER = 1 << 30;

let reading = 0;

export function readBody(request: IncomingMessage, limit: number): Promise<Result<Buffer, Answer>> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > limit) return Promise.resolve(fault(tooLarge(limit)));
  if (reading + announced > TOGETHER)
    return Promise.resolve(fault(refusal(503, 'capacity_limited', 'too many large requests at once')));
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let silence = setTimeout(() => finish(fault(tooSlow())), SILENT * 1000);
    const whole = setTimeout(() => finish(fault(tooSlow())), WHOLE * 1000);
    const finish = (end: Result<Buffer, Answer>) => {
      clearTimeout(silence);
      clearTimeout(whole);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      reading -= bytes;
      resolve(end);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      reading += chunk.length;
      if (bytes > limit || reading > TOGETHER) return finish(fault(tooLarge(limit)));
      chunks.push(chunk);
      clearTimeout(silence);
      silence = setTimeout(() => finish(fault(tooSlow())), SILENT * 1000);
    };
    const onEnd = () => finish(success(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    const onGone = () => finish(fault(refusal(400, 'bad_request', 'the request ended early')));
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

/** The JSON object in a body, with any content type. Text with invalid Unicode is repaired. */
export function parseBody(bytes: Buffer): Result<Record<string, unknown>, Answer> {
  const text = bytes.toString('utf8');
  try {
    const value: unknown = /\\u[dD][89a-fA-F]/.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
    if (isFields(value)) return success(value);
    return fault(refusal(400, 'bad_request', 'the body is not a JSON object'));
  } catch {
    return fault(refusal(400, 'bad_request', 'the body is not JSON'));
  }
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replace(LONE, '\ufffd') : value;
}

function tooLarge(limit: number): Answer {
  return refusal(413, 'too_large', `the body is larger than ${limit} bytes`);
}

function tooSlow(): Answer {
  return refusal(408, 'too_slow', 'the body came too slowly');
}
