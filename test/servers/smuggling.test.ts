/**
 * Requests that two programs may read in two ways, and requests behind a refused one, over raw sockets: what is in the
 * body of a request, or behind one that was refused, never reaches a route.
 */
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Listening, listen } from '../../servers/http/listen.ts';
import type { Route } from '../../servers/http/route.ts';
import { startRouter } from '../../tasks/serving/router.ts';

const TOKEN = 'f'.repeat(64);
const ran: string[] = [];
const OK = { type: 'object' } as const;
const post = (path: string): Route => ({
  ...{
    method: 'post',
    path,
    summary: path,
    access: 'token',
    body: { type: 'object' },
    answer: OK,
    limit: 4096,
  },
  run: async () => {
    ran.push(path);
    return { json: { ok: true, path } };
  },
});
const get: Route = {
  ...{ method: 'get', path: '/look', summary: 'look', access: 'open', answer: OK },
  run: async () => {
    ran.push('/look');
    return { json: { ok: true } };
  },
};
const put: Route = {
  ...{
    method: 'put',
    path: '/bytes',
    summary: 'bytes',
    access: 'token',
    bytes: 'application/x-tar',
    answer: OK,
  },
  async run({ bytes }) {
    ran.push('/bytes');
    for await (const _ of bytes());
    return { json: { ok: true } };
  },
};

let server: Listening;
let host = '';

beforeAll(async () => {
  const address = { host: '127.0.0.1', port: 0 };
  const options = { title: 't', version: '1', token: TOKEN, tls: null, log: () => undefined };
  const opened = await listen([post('/one'), post('/two'), get, put], { ...options, address });
  if (!opened.ok) throw new Error(opened.fault);
  server = opened.value;
  host = new URL(server.url).host;
});
afterAll(() => server.close());
beforeEach(() => ran.splice(0));

/** Statuses of all answers, until the server closes the connection. */
function send(text: string, at = host): Promise<number[]> {
  const [name = '', port] = at.split(':');
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), name, () => socket.write(text, 'latin1'));
    socket.setEncoding('latin1').on('data', (part: string) => {
      answer += part;
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? undefined : reject(error),
    );
    socket.on('close', () =>
      resolve([...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, one]) => Number(one))),
    );
  });
}

const AUTH = `Authorization: Bearer ${TOKEN}`;
const JSON_TYPE = 'Content-Type: application/json';
/** A request with a body of two characters; the last one of a connection closes it. */
const whole = (path: string, more: string[] = [], body = '{}') =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    AUTH,
    JSON_TYPE,
    `Content-Length: ${body.length}`,
    ...more,
    '',
    body,
  ].join('\r\n');
const last = (path: string) => whole(path, ['Connection: close']);
/** A request whose framing is in `lines`. */
const framed = (lines: string[], rest: string, path = '/one') =>
  [`POST ${path} HTTP/1.1`, `Host: ${host}`, AUTH, JSON_TYPE, ...lines, '', rest].join('\r\n');

test('requests that are whole are all run, one behind the other', async () => {
  expect(await send(whole('/one') + last('/two'))).toEqual([200, 200]);
  expect(ran).toEqual(['/one', '/two']);
});

describe('a body whose end could be read in two ways', () => {
  test.each([
    [
      'a length and chunks',
      () => framed(['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${last('/two')}`),
    ],
    [
      'chunks and a length',
      () => framed(['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${last('/two')}`),
    ],
    ['two lengths', () => framed(['Content-Length: 2', 'Content-Length: 400'], `{}${last('/two')}`)],
    ['the same length twice', () => framed(['Content-Length: 2', 'Content-Length: 2'], `{}${last('/two')}`)],
    ['a list of lengths', () => framed(['Content-Length: 2, 400'], `{}${last('/two')}`)],
    ['a length with a sign', () => framed(['Content-Length: +2'], `{}${last('/two')}`)],
    ['a negative length', () => framed(['Content-Length: -1'], `{}${last('/two')}`)],
    ['a length in other digits', () => framed(['Content-Length: 0x2'], `{}${last('/two')}`)],
    ['a length that is too long', () => framed([`Content-Length: ${'9'.repeat(30)}`], `{}${last('/two')}`)],
    ['a length on a folded line', () => framed(['Content-Length:', ' 2'], `{}${last('/two')}`)],
    [
      'chunks on a folded line',
      () => framed(['Content-Length: 2', 'X: y', ' Transfer-Encoding: chunked'], `{}${last('/two')}`),
    ],
    [
      'a folded encoding',
      () => framed(['Transfer-Encoding:', ' chunked', 'Content-Length: 4'], `0\r\n\r\n${last('/two')}`),
    ],
    [
      'a space before the colon',
      () => framed(['Transfer-Encoding : chunked', 'Content-Length: 4'], `0\r\n\r\n${last('/two')}`),
    ],
    ['an unknown encoding', () => framed(['Transfer-Encoding: xchunked'], `0\r\n\r\n${last('/two')}`)],
    [
      'an encoding that is not the last',
      () => framed(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${last('/two')}`),
    ],
    [
      'two encodings',
      () => framed(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${last('/two')}`),
    ],
    [
      'a chunk with a sign',
      () => framed(['Transfer-Encoding: chunked'], `+2\r\n{}\r\n0\r\n\r\n${last('/two')}`),
    ],
    [
      'a chunk that is too long',
      () => framed(['Transfer-Encoding: chunked'], `${'f'.repeat(20)}\r\n{}\r\n0\r\n\r\n${last('/two')}`),
    ],
    [
      'a chunk that ends elsewhere',
      () => framed(['Transfer-Encoding: chunked'], `2\r\n{}x\r\n0\r\n\r\n${last('/two')}`),
    ],
    [
      'a line that ends with a line feed alone',
      () => framed(['Transfer-Encoding: chunked'], `2\n{}\r\n0\r\n\r\n${last('/two')}`),
    ],
    ['a header without a colon', () => framed(['Content-Length: 2', 'nothing'], `{}${last('/two')}`)],
    ['a NUL in a header', () => framed(['Content-Length: 2', 'X: a\0b'], `{}${last('/two')}`)],
    [
      'a carriage return in a header',
      () => framed(['Content-Length: 2', 'X: a\rTransfer-Encoding: chunked'], `{}${last('/two')}`),
    ],
  ])('%s: the request behind it is not run', async (name, text) => {
    const statuses = await send(text());
    console.log(`${name}: ${statuses.join(' ')}`);
    expect(statuses.filter((status) => status !== 400)).toEqual(statuses.includes(200) ? [200] : []);
    expect(ran).not.toContain('/two');
  });
});

describe('a request that is refused', () => {
  const inner = () => last('/two');
  const refusals: readonly [what: string, status: number, text: () => string][] = [
    ['without the token', 401, () => whole('/one').replace(TOKEN, 'x')],
    ['with another type', 415, () => whole('/one').replace('application/json', 'text/plain')],
    ['of another origin', 403, () => whole('/one', ['Origin: http://evil.example'])],
    ['of another site', 403, () => whole('/one', ['Sec-Fetch-Site: cross-site'])],
    ['by another name', 421, () => whole('/one').replace(host, 'evil.example')],
    ['to no route, without the token', 401, () => whole('/nowhere').replace(TOKEN, 'x')],
    [
      'whose body is another request',
      415,
      () => whole('/one', [], inner()).replace('application/json', 'text/plain'),
    ],
    [
      'whose body is in chunks',
      415,
      () =>
        framed(
          ['Transfer-Encoding: chunked'],
          `${inner().length.toString(16)}\r\n${inner()}\r\n0\r\n\r\n`,
        ).replace('application/json', 'text/plain'),
    ],
    ['whose body is bytes of another type', 415, () => whole('/bytes', [], inner()).replace('POST', 'PUT')],
    ['whose body is too long', 413, () => framed(['Content-Length: 100000'], inner())],
    [
      'whose body does not come whole',
      401,
      () => framed(['Content-Length: 100000'], inner()).replace(TOKEN, 'x'),
    ],
  ];
  test.each(refusals)('%s: nothing behind it is run', async (_, status, text) => {
    const statuses = await send(text() + inner());
    expect(statuses[0]).toBe(status);
    expect(statuses.slice(1).filter((one) => one !== 400)).toEqual([]);
    expect(ran).toEqual([]);
  });
});

test('a body that is not asked for is no request', async () => {
  const body = whole('/two');
  const look = `GET /look HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  expect(await send(look + last('/one'))).toEqual([200, 200]);
  expect(ran).toEqual(['/look', '/one']);
});

test('a body that is JSON and not what is asked for is read to its end', async () => {
  const body = JSON.stringify([whole('/two')]);
  expect(await send(whole('/one', [], body) + last('/one'))).toEqual([400, 200]);
  expect(ran).toEqual(['/one']);
});

test.each([
  [
    'the name of another host in the request line',
    (text: string) => text.replace('POST /two', 'POST http://evil.example/two'),
    [200],
  ],
  [
    'two names, the first of which is right',
    (text: string) =>
      text.replace('\r\n', `\r\nHost: ${host}\r\n`).replace(/(Host: .*\r\n)Host: .*/, '$1Host: evil.example'),
    [200],
  ],
  [
    'two names, the first of which is wrong',
    (text: string) => text.replace('\r\n', '\r\nHost: evil.example\r\n'),
    [421],
  ],
  ['no name', (text: string) => text.replace(/Host: .*\r\n/, ''), [400]],
  [
    'an upgrade',
    (text: string) => text.replace('Connection: close', 'Connection: close, Upgrade\r\nUpgrade: h2c'),
    [200],
  ],
  ['HTTP/2 from the start', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
] as const)('%s is no way around', async (_, change, statuses) => {
  expect(await send(change(last('/two')))).toEqual(statuses);
  // The right name and the token were there in each that was run.
  expect(ran).toEqual(statuses[0] === 200 ? ['/two'] : []);
});

test('a tunnel is not opened', async () => {
  expect(await send(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n${AUTH}\r\n\r\n${last('/two')}`)).toEqual(
    [],
  );
  expect(ran).toEqual([]);
});

test('the router of model servers answers nothing behind a request that it refused', async () => {
  const router = await startRouter([], 0, () => undefined);
  if (!router.ok) throw new Error(router.fault.detail);
  const at = new URL(router.value.url).host;
  const chat = (type: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${at}\r\nContent-Type: ${type}\r\nContent-Length: 2\r\n\r\n{}`;
  expect(await send(chat('text/plain') + chat('application/json'), at)).toEqual([415]);
  await router.value.close();
});
