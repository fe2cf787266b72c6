/** Sends a dialect's answer, and reports what it showed of the network. */
import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { INDEX_FAULT } from '../../contract/build-index.ts';
import type { Answer } from './answer.ts';

/** What a request showed of the network behind the index. */
export interface Seen {
  /** Why something could not be had; null when nothing was in the way. */
  lost: string | null;
  /** Something came over the network. */
  passed: boolean;
}

/** Why something could not be had; null: it is sent, or is not there. */
export function lossIn(answer: Answer, speaker: string | null): string | null {
  if (answer.kind !== 'refused' || !answer.isFault) return null;
  const who = speaker === null ? '' : `${speaker}: `;
  return answer.isOfIndex === true
    ? `${INDEX_FAULT}${who}${answer.detail}`
    : `${who || 'the package index: '}${answer.detail}`;
}

/** `speaker`: who is asked, for people; null: Python's package index. */
export async function send(
  answer: Answer,
  speaker: string | null,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<Seen> {
  if (answer.kind === 'refused') {
    sendText(response, answer.status, answer.detail);
    return { lost: lossIn(answer, speaker), passed: answer.isNew === true };
  }
  const type = { 'content-type': answer.type, vary: 'Accept' };
  if (answer.kind === 'body') {
    response.writeHead(200, { ...type, 'content-length': Buffer.byteLength(answer.body) }).end(answer.body);
    return { lost: null, passed: answer.isNew };
  }
  // A file that cannot be read is a fault, which is thrown before anything is sent.
  const file = await open(answer.path);
  try {
    response.writeHead(200, { ...type, 'content-length': (await file.stat()).size });
    if (message.method === 'HEAD') response.end();
    // A client that has read enough is no fault.
    else
      await pipeline(file.createReadStream({ autoClose: false }), response).catch(() => response.destroy());
  } finally {
    await file.close();
  }
  return { lost: null, passed: answer.isNew };
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  const body = `${text}\n`;
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  };
  response.writeHead(status, headers).end(body);
}
