/**
 * Downloads follow redirects; the credentials of their addresses do not go along to another origin. Their signal ends them, and keeps
 * nothing of those that are over.
 */
import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Credential } from '../../../basics/credential.ts';
import { success } from '../../../basics/result.ts';
import { httpClient } from '../../../tasks/source/http.ts';

const servers: Server[] = [];
const seen: { to: 'first' | 'second'; path: string; authorization: string | undefined }[] = [];
let first: string;
let second: string;

beforeAll(async () => {
  const listen = async (to: 'first' | 'second') => {
    const server = createServer((request: IncomingMessage, response) => {
      const path = request.url!;
      seen.push({ to, path, authorization: request.headers.authorization });
      const place = {
        '/away': `${second}/end`,
        '/name': `${first.replace('127.0.0.1', 'localhost')}/end`,
        '/stay': '/end',
      }[path];
      if (place === undefined) response.end('here');
      else response.writeHead(302, { location: place }).end();
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  [first, second] = [await listen('first'), await listen('second')];
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

test.each([
  ['/away', 'another port', false],
  ['/name', 'another name of the host', false],
  ['/stay', 'the same origin', true],
])('%s: a redirect to %s', async (path, _, goesAlong) => {
  const http = httpClient({ env: {}, certificates: [], timeout: 30, tries: 1 });
  const read = async (response: { text(): Promise<string> }) => success(await response.text());
  for (const [url, headers] of [
    [first.replace('//', '//me:word@') + path, {}],
    [first + path, Credential.bearer('hf_token', first).headers(first)],
  ] as const) {
    seen.length = 0;
    expect(await http.get(url, { headers: () => headers }, read)).toEqual(success('here'));
    expect(seen.map(({ authorization }) => authorization !== undefined)).toEqual([true, goesAlong]);
  }
});

test('requests leave nothing on their signal, which ends those that run', async () => {
  const http = httpClient({ env: {}, certificates: [], timeout: 30, tries: 1 });
  const ended = new AbortController();
  const { signal } = ended;
  const read = async (response: { text(): Promise<string> }) => success(await response.text());
  for (let count = 0; count < 20; count++)
    expect(await http.get(`${first}/end`, { signal }, read)).toEqual(success('here'));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const cut = await http.get(`${first}/end`, { signal }, async (response) => {
    ended.abort();
    return success(await response.text());
  });
  expect(cut).toMatchObject({ ok: false, fault: { reason: 'cancelled' } });
});
