/** Where Go's releases are on a module proxy. */
import { expect, test } from 'vitest';
import { goArchive } from '../../../tasks/toolchains/go-proxy.ts';

test.each([
  ['1.20', '1.20'],
  ['1.20.14', '1.20.14'],
  ['1.21', '1.21.0'],
  ['1.24', '1.24.0'],
  ['1.24.10', '1.24.10'],
  ['1.24rc1', '1.24rc1'],
])('Go %s is the file of %s', (version, release) => {
  const archive = goArchive(version, { GOPROXY: 'https://proxy.example' });
  expect(archive).toMatchObject({
    ok: true,
    value: { url: expect.stringContaining(`/v0.0.1-go${release}.linux-`) },
  });
});
