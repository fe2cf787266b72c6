/** The exchange of inside and real paths, as the rules of executors/local/relocation.ts. */
import { describe, expect, it, test } from 'vitest';
import { isLikelyRelocatable } from '../../executors/local/relocatable.ts';
import { FIXED_PREFIXES, relocation } from '../../executors/local/relocation.ts';

const ROOT = '/var/state/0123456789abcdef';
const { inward, outward, path, covers } = relocation(ROOT, [...FIXED_PREFIXES, '/opt/python/3.11.7']);

/** What stands for the root in the expectations below. */
const real = (text: string) => text.replaceAll('@', ROOT);

describe('inward', () => {
  it.each([
    ['cd /testbed', 'cd @/testbed'],
    ['cd /testbed && ls', 'cd @/testbed && ls'],
    ['cat /testbed/a.txt', 'cat @/testbed/a.txt'],
    ['"/testbed/a b" \'/opt/env/bin\'', '"@/testbed/a b" \'@/opt/env/bin\''],
    ['PATH=/opt/env/bin:/usr/bin', 'PATH=@/opt/env/bin:/usr/bin'],
    ['/usr/bin:/opt/env/bin', '/usr/bin:@/opt/env/bin'],
    ['python --root=/testbed', 'python --root=@/testbed'],
    ['gcc -I/opt/env/include -L/opt/env/lib', 'gcc -I@/opt/env/include -L@/opt/env/lib'],
    ['file:///testbed', 'file://@/testbed'],
    ['echo x >/tmp/y 2>/tmp/z', 'echo x >@/tmp/y 2>@/tmp/z'],
    ['open("/tmp/x"), f\'/tmp/{x}\'', 'open("@/tmp/x"), f\'@/tmp/{x}\''],
    ['#!/opt/env/bin/python\n', '#!@/opt/env/bin/python\n'],
    ['See /testbed.', 'See @/testbed.'],
    ['/opt/python/3.11.7/bin/python3', '@/opt/python/3.11.7/bin/python3'],
    ['(/testbed)', '(@/testbed)'],
    ['printf "a\\n/testbed"', 'printf "a\\n@/testbed"'],
  ])('%s', (text, expected) => expect(inward(text)).toBe(real(expected)));

  it.each([
    '/testbed2 /testbed-x /testbed_y /testbed.git',
    '/opt/environment /opt/env2 /tmpfs',
    'src/testbed ./tmp ../testbed ~/tmp */testbed',
    '$HOME/tmp ${HOME}/tmp $(pwd)/testbed "$HOME"/tmp "$f"/tmp',
    'http://host/testbed sed s/tmp/x/',
    '/usr/tmp /var/tmp /home/opt/env',
    '/opt/python/3.11.77 /opt/python/3.12',
  ])('leaves %s', (text) => expect(inward(text)).toBe(text));
});

test('a prefix is taken letter by letter', () => {
  const odd = relocation(ROOT, ['/opt/g++ (new)', '/opt/python/3.1']);
  expect(odd.inward('ls "/opt/g++ (new)/bin" /opt/python/3.1')).toBe(
    real('ls "@/opt/g++ (new)/bin" @/opt/python/3.1'),
  );
  expect(odd.inward('/opt/python/311')).toBe('/opt/python/311');
});

describe('outward', () => {
  it.each([
    ['@/testbed/a.py:3', '/testbed/a.py:3'],
    ['@', '/'],
    ['@/', '/'],
    ['file://@/testbed', 'file:///testbed'],
    ['a:@/opt/env/bin', 'a:/opt/env/bin'],
    ['@x', '@x'],
  ])('%s', (text, expected) => expect(outward(real(text))).toBe(real(expected)));

  it('undoes inward', () => {
    const text = 'cd /testbed; PATH=/opt/env/bin:$PATH; cat <<END > /tmp/x\n/testbed/y\nEND\n';
    expect(outward(inward(text))).toBe(text);
  });
});

describe('paths', () => {
  it('stay below the root', () => {
    expect(path('/testbed/a')).toBe(`${ROOT}/testbed/a`);
    expect(path('/')).toBe(`${ROOT}/`);
    expect(path('/../../etc')).toBe(`${ROOT}/etc`);
  });

  it('are covered at and below the prefixes', () => {
    expect(['/testbed', '/opt/env/bin', '/opt/environment', '/usr'].map(covers)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('files of layers that may hold paths', () => {
  it.each([
    'opt/env/bin/pip',
    'opt/env/pyvenv.cfg',
    'opt/env/lib/python3.11/site-packages/__editable__.mine-1.pth',
    'opt/env/lib/python3.11/site-packages/__editable___mine_1_finder.py',
    'opt/env/lib/python3.11/site-packages/easy-install.pth',
    'opt/env/lib/python3.11/site-packages/mine.egg-link',
    'opt/env/lib/python3.11/site-packages/mine-1.dist-info/direct_url.json',
    'testbed/mine.egg-info/SOURCES.txt',
    'testbed/src/mine.egg-info/PKG-INFO',
  ])('%s', (name) => expect(isLikelyRelocatable(name)).toBe(true));

  it.each([
    'opt/env/lib/python3.11/site-packages/mine/core.py',
    'opt/env/lib/python3.11/site-packages/mine-1.dist-info/RECORD',
    'testbed/src/mine.py',
    'opt/env/bin/folder/x',
  ])('not %s', (name) => expect(isLikelyRelocatable(name)).toBe(false));
});
