/** Addresses of submodules: what is taken, what they come to, and what is refused. */
import { expect, test } from 'vitest';
import { submoduleAddress } from '../../../tasks/source/submodule-address.ts';

const HTTPS = 'https://host/a/b.git';

test.for([
  ['https://other/x', HTTPS, 'https://other/x', 'https:ssh'],
  ['ssh://git@other:22/x', HTTPS, 'ssh://git@other:22/x', 'https:ssh'],
  ['git@other:x/y.git', HTTPS, 'git@other:x/y.git', 'https:ssh'],
  ['../c.git', HTTPS, 'https://host/a/c.git', 'https:ssh'],
  ['./c', `${HTTPS}/`, 'https://host/a/b.git/c', 'https:ssh'],
  ['../../x/y', HTTPS, 'https://host/x/y', 'https:ssh'],
  ['../c', 'git@host:a/b', 'git@host:a/c', 'https:ssh'],
  ['../../c', 'git@host:a/b', 'git@host:c', 'https:ssh'],
  ['../lib', 'file:///srv/r/repo', 'file:///srv/r/lib', 'file'],
  ['./lib', 'file:///srv/r/repo', 'file:///srv/r/repo/lib', 'file'],
] as const)('%s of %s', ([url, above, to, protocols]) => {
  expect(submoduleAddress('p', url, above)).toEqual({ ok: true, value: { url: to, protocols } });
});

test.for([
  ['file:///etc', HTTPS],
  ['/etc', HTTPS],
  ['lib', HTTPS],
  ['~/x', HTTPS],
  ['http://host/x', HTTPS],
  ['git://host/x', HTTPS],
  ['HTTP://host/x', HTTPS],
  ['ext::sh', HTTPS],
  ['ext::sh@x:y', HTTPS],
  ['fd::17/x', HTTPS],
  ['https::file:///etc', HTTPS],
  ['-uexec@host:x', HTTPS],
  ['--upload-pack=x', HTTPS],
  ['ssh://-oProxyCommand=x/y', HTTPS],
  ['ssh://u@-oProxyCommand=x/y', HTTPS],
  ['git@-oProxyCommand=x:y', HTTPS],
  ['https://', HTTPS],
  ['https:///etc', HTTPS],
  ['host:path', HTTPS],
  ['https://host/a\nb', HTTPS],
  ['../../../../etc', HTTPS],
  ['../../../other/x', HTTPS],
  ['../c', 'http://host/a/b'],
  ['../c', 'git://host/a/b'],
  ['../../x', 'file:///srv/r/repo'],
  ['../../../etc', 'file:///srv/r/repo'],
  ['../%2e%2e/x', 'file:///srv/r/repo'],
  ['..%2f..%2fx', 'file:///srv/r/repo'],
  ['../..%2f..%2fx', 'file:///srv/r/repo'],
  ['../%252e%252e/x', 'file:///srv/r/repo'],
] as const)('refused: %s of %s', ([url, above]) => {
  expect(submoduleAddress('p', url, above)).toMatchObject({
    ok: false,
    fault: { reason: 'invalid-row', detail: expect.stringMatching(/^submodule p: its address /) },
  });
});
