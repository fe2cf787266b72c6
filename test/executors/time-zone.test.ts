/** Where the host is decides nothing: inside it is UTC. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../basics/package-root.ts';
import { temporaryFolder } from '../rig/folder.ts';

/** An /etc of a host in New York, in a mount namespace of its own, and the base that is made there. */
const MAKE = `
set -e
cp -a /etc/. "$1/etc" 2>/dev/null || true
rm -f "$1/etc/localtime" "$1/etc/timezone"
ln -s /usr/share/zoneinfo/America/New_York "$1/etc/localtime"
echo America/New_York > "$1/etc/timezone"
mount --bind "$1/etc" /etc
test "$(cat /etc/timezone)" = America/New_York
cd "$2"
python3 -c 'import skeleton, sys; skeleton.make_base(sys.argv[1])' "$1/base"
`;

test('a base that is made on a host elsewhere', () => {
  const folder = temporaryFolder();
  execFileSync('mkdir', [join(folder, 'etc'), join(folder, 'base')]);
  const scripts = join(packageRoot(), 'executors/sandbox');
  const options = { env: { ...process.env, TZ: 'America/New_York', PYTHONDONTWRITEBYTECODE: '1' } };
  execFileSync('unshare', ['-mr', 'bash', '-c', MAKE, 'bash', folder, scripts], options);
  const read = (...args: string[]) => execFileSync(args[0]!, args.slice(1), { encoding: 'utf8' }).trim();
  expect(read('cat', join(folder, 'base/etc/timezone'))).toBe('Etc/UTC');
  expect(read('readlink', join(folder, 'base/etc/localtime'))).toBe('/usr/share/zoneinfo/Etc/UTC');
});
