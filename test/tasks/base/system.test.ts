/** Whether apt's output speaks of the network or of the packages that a recipe names. The lines are those of apt 2.6. */
import { expect, test } from 'vitest';
import { unfetchedLine } from '../../../tasks/base/system.ts';

const LIST = 'http://deb.debian.org/debian/dists/bookworm/InRelease';
const FILE = 'http://deb.debian.org/debian/pool/main/t/tree/tree_2.1.0-1_amd64.deb';

test.each([
  [
    'a mirror that refuses the connection, where update ends well',
    [
      `W: Failed to fetch ${LIST}  Could not connect to deb.debian.org:80 (151.101.2.132). - connect (111: Connection refused)`,
      'W: Some index files failed to download. They have been ignored, or old ones used instead.',
      'E: Unable to locate package tree',
    ],
  ],
  [
    'a mirror that breaks off',
    [
      `W: Failed to fetch ${LIST}  Connection failed [IP: 151.101.2.132 80]`,
      'E: Unable to locate package tree',
    ],
  ],
  ['an overloaded mirror', [`E: Failed to fetch ${FILE}  503  Service Unavailable [IP: 151.101.2.132 80]`]],
  ['too many requests', [`E: Failed to fetch ${FILE}  429  Too Many Requests [IP: 151.101.2.132 80]`]],
  [
    'a mirror that is being renewed',
    [
      `E: Failed to fetch ${LIST}  File has unexpected size (9 != 10). Mirror sync in progress? [IP: 1.2.3.4 80]`,
    ],
  ],
  [
    'a login page',
    [
      `E: GPG error: ${LIST}: Signed file isn't valid, got 'NODATA' (does the network require authentication?)`,
    ],
  ],
])('%s is no answer about packages', (_, lines) => {
  expect(unfetchedLine(`Reading package lists...\n${lines.join('\n')}\n`)).toBe(lines[0]);
});

test.each([
  'E: Unable to locate package hello-503',
  "E: Version '1.503  ' for 'tree' was not found",
  `E: Failed to fetch ${FILE}  404  Not Found [IP: 151.101.2.132 80]`,
  "E: The repository 'http://deb.debian.org/debian buster Release' does not have a Release file.",
])('%s is one', (line) => {
  expect(unfetchedLine(`Hit:1 ${LIST}\nReading package lists...\n${line}\n`)).toBeNull();
});
