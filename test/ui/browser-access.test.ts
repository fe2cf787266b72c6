/** Who may look at the page, and where a log is cut: the parts that need no browser. */
import { describe, expect, test } from 'vitest';
import { inMemory, logRange, PART } from '../../app/view/log-range.ts';
import { createSecrets } from '../../contract/secrets.ts';
import { type Asked, BrowserAccess } from '../../ui/server/browser-access.ts';

const gate = new BrowserAccess('127.0.0.1', 8123);
const HOST = '127.0.0.1:8123';

function ask(path: string, given: Partial<Asked> = {}) {
  const url = new URL(path, 'http://page');
  const asked = { method: 'GET', host: HOST, cookie: undefined, origin: undefined, site: undefined, url };
  return gate.enter({ ...asked, ...given });
}

function cookie(): string {
  const entry = ask(`/?token=${gate.token}`);
  if (entry.kind !== 'welcome') throw new Error(entry.kind);
  return entry.cookie.split(';')[0]!;
}

describe('the gate', () => {
  test('turns the token into a strict cookie, and the address into one without it', () => {
    const entry = ask(`/?token=${gate.token}`);
    expect(entry).toMatchObject({ kind: 'welcome', location: '/' });
    expect((entry as { cookie: string }).cookie).toMatch(
      /^swemake-ui-8123=[\w-]{32}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect((entry as { cookie: string }).cookie).not.toContain(gate.token);
    expect(ask('/api/overview', { cookie: `other=1; ${cookie()}` })).toEqual({ kind: 'in' });
  });

  test.each([
    ['no cookie', '/api/overview', {}, 401],
    ['a wrong token', '/?token=wrong', {}, 401],
    ['a token elsewhere than at the start', '/api/overview?token=TOKEN', {}, 401],
    ['the token as a cookie', '/', { cookie: 'swemake-ui-8123=TOKEN' }, 401],
    ['another name', '/', { host: 'evil.example:8123', cookie: 'COOKIE' }, 421],
    ['another port', '/', { host: '127.0.0.1:80', cookie: 'COOKIE' }, 421],
    ['no name', '/?token=TOKEN', { host: undefined }, 421],
    ['POST', '/api/overview', { method: 'POST', cookie: 'COOKIE' }, 405],
    ['HEAD', '/', { method: 'HEAD', cookie: 'COOKIE' }, 405],
    ['OPTIONS', '/', { method: 'OPTIONS', cookie: 'COOKIE' }, 405],
    ['another origin', '/api/overview', { origin: 'http://evil.example', cookie: 'COOKIE' }, 403],
    ['the origin null', '/api/overview', { origin: 'null', cookie: 'COOKIE' }, 403],
    ['another site', '/page.js', { site: 'cross-site', cookie: 'COOKIE' }, 403],
    ['another port of this host', '/api/overview', { site: 'same-site', cookie: 'COOKIE' }, 403],
  ] as [string, string, Partial<Asked>, number][])('refuses %s', (_, path, given, status) => {
    const told = (text: string) => text.replace('TOKEN', gate.token).replace('COOKIE', cookie());
    const asked = given.cookie === undefined ? given : { ...given, cookie: told(given.cookie) };
    expect(ask(told(path), asked)).toMatchObject({ kind: 'refused', status });
  });
});

describe('a log', () => {
  const line = (index: number) => `line ${index} ${'x'.repeat(90)}\n`;
  const none = { redact: (text: string) => text };

  test('is read to its end by parts of whole lines, none twice and none left out', () => {
    const whole = Array.from({ length: 6000 }, (_, index) => line(index)).join('');
    const log = inMemory(Buffer.from(whole));
    let text = '';
    for (let at = 0; at < log.size; ) {
      const part = logRange(log, at, none);
      expect(part.from).toBe(at);
      expect(part.to - part.from).toBeLessThan(2 * PART);
      text += part.text;
      at = part.to;
    }
    expect(text).toBe(whole);
    expect(whole.endsWith(logRange(log, -1, none).text)).toBe(true);
  });

  test('of one endless line has an end', () => {
    const log = inMemory(Buffer.from('ü'.repeat(200_000)));
    let text = '';
    for (let at = 0; at < log.size; ) {
      const part = logRange(log, at, none);
      text += part.text;
      at = part.to;
    }
    expect(text).toBe('ü'.repeat(200_000));
  });

  test('is never cut in a secret, wherever it stands', () => {
    const value = 'begin-of-key\nmiddle-of-key\nend-of-key';
    const secrets = createSecrets(new Map([['(key)', 'KEY']]), { KEY: value });
    for (const shift of [5, 13, 14, 27, 36]) {
      const before = `${'a'.repeat(PART - shift - 1)}\n`;
      const log = inMemory(Buffer.from(`${before}${value}\nafter\n`));
      let text = '';
      for (let at = 0; at < log.size; ) {
        const part = logRange(log, at, secrets);
        text += part.text;
        at = part.to;
      }
      expect(text).toBe(`${before}(key)\nafter\n`);
    }
  });
});
