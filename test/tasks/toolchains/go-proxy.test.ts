/** Where toolchains are: Go's releases on a module proxy, and those in Maven's layout. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { goArchive } from '../../../tasks/toolchains/go-proxy.ts';
import { mavenArchive } from '../../../tasks/toolchains/maven-archive.ts';
import { temporaryFolder } from '../../rig/folder.ts';

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

test.each(['direct', 'off'])('GOPROXY=%s has no toolchains, and says so', (GOPROXY) => {
  expect(goArchive('1.24', { GOPROXY })).toMatchObject({
    ok: false,
    fault: { reason: 'tool-missing', detail: expect.stringContaining('GOPROXY names no module proxy') },
  });
});

test('a mirror of Maven that no request can go to has no toolchains, and says so', () => {
  const HOME = temporaryFolder();
  mkdirSync(join(HOME, '.m2'));
  const mirror = '<mirror><id>m</id><mirrorOf>*</mirrorOf><url>file:///srv/maven</url></mirror>';
  writeFileSync(join(HOME, '.m2/settings.xml'), `<settings><mirrors>${mirror}</mirrors></settings>`);
  expect(mavenArchive('org/example/tool', 'bin.zip', '1.0', { HOME })).toMatchObject({
    ok: false,
    fault: { reason: 'tool-missing', detail: expect.stringContaining('names no repository') },
  });
});
