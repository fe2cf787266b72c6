/** The rules of the proxy as pure functions: names, ports, addresses. */
import { describe, expect, it } from 'vitest';
import { addressRules, type Interfaces } from '../../executors/proxy/address.ts';
import { buildAllowList, parseAllowList, parseTarget } from '../../executors/proxy/allow-list.ts';
import { fixedLookup } from '../../executors/proxy/connect.ts';

describe('the allow-list', () => {
  const list = parseAllowList([
    'pypi.org',
    '*.example.com',
    'mirror.lan:8081',
    '10.1.2.3:3141',
    '[fd00::1]:80',
  ]);
  const grant = (host: string, port: number) => list.grant({ host, port });

  it('matches names exactly, or below a wildcard', () => {
    expect(grant('pypi.org', 443)).toBe('exact');
    expect(grant('a.b.example.com', 443)).toBe('wildcard');
    for (const host of ['evilpypi.org', 'pypi.org.evil', 'a.pypi.org', 'example.com', 'evilexample.com'])
      expect(grant(host, 443)).toBeNull();
  });

  it('means 80 and 443, or the port that is named', () => {
    expect(grant('pypi.org', 80)).toBe('exact');
    expect(grant('pypi.org', 22)).toBeNull();
    expect(grant('mirror.lan', 8081)).toBe('exact');
    expect(grant('mirror.lan', 443)).toBeNull();
    expect(grant('10.1.2.3', 3141)).toBe('exact');
    expect(grant('fd00::1', 80)).toBe('exact');
  });

  it('always holds the public index', () => {
    expect(buildAllowList(['mine.example:8080', 'pypi.org'], ['*.far.example'])).toEqual([
      'pypi.org',
      'files.pythonhosted.org',
      'mine.example:8080',
      '*.far.example',
    ]);
  });

  it('admits nothing for a rule that cannot be read', () => {
    const broken = parseAllowList(['', '*.', 'http://x.example/', 'a b']);
    for (const host of ['', 'x.example', 'a', 'anything.example'])
      expect(broken.grant({ host, port: 443 })).toBeNull();
  });
});

describe('targets', () => {
  it('are normalised', () => {
    expect(parseTarget('PyPI.org.:443', null)).toEqual({ host: 'pypi.org', port: 443 });
    expect(parseTarget('[::1]:80', null)).toEqual({ host: '::1', port: 80 });
    expect(parseTarget('pypi.org', 80)).toEqual({ host: 'pypi.org', port: 80 });
  });

  it('are refused when they are anything else', () => {
    for (const text of [
      'pypi.org',
      'user@pypi.org:443',
      'a:b:443',
      ':443',
      'pypi.org:0',
      'pypi.org:70000',
      'a/b:1',
      '',
    ])
      expect(parseTarget(text, null)).toBeNull();
  });
});

describe('addresses', () => {
  const interfaces = {
    eth0: [
      { address: '8.8.4.10', cidr: '8.8.4.10/24', family: 'IPv4' },
      { address: '2600:1::5', cidr: '2600:1::5/64', family: 'IPv6' },
    ],
  } as unknown as Interfaces;
  const rules = addressRules(interfaces);

  it('of the public internet are reached under any name', () => {
    for (const address of ['151.101.0.223', '2a04:4e42::223', '::ffff:151.101.0.223'])
      expect(rules.refusal(address, 'a.example.com', 'wildcard')).toBeNull();
  });

  it('of this host, its links and private networks are not', () => {
    const addresses = [
      '10.0.0.1 172.16.3.4 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 203.0.113.9',
      '8.8.4.10 8.8.4.77 2600:1::5 2600:1::77 fe80::1 fe80::1%eth0 fd00::1 :: ff02::1 64:ff9b::7f00:1 2002:7f00:1::',
      '::ffff:10.0.0.1 ::ffff:a00:1 ::ffff:8.8.4.10',
    ];
    for (const address of addresses.join(' ').split(' '))
      expect(rules.refusal(address, 'a.example.com', 'wildcard'), address).not.toBeNull();
  });

  it('are reached when the host was named itself: closed networks map indexes to any of them', () => {
    for (const address of ['10.0.0.1', '203.0.113.9', '8.8.4.10', 'fd00::1'])
      expect(rules.refusal(address, 'pypi.org', 'exact')).toBeNull();
  });

  it('of the loopback are reached only when they were named as such', () => {
    const mapped = ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:0.0.0.0'];
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::', ...mapped]) {
      expect(rules.refusal(address, 'pypi.org', 'exact')).not.toBeNull();
      expect(rules.refusal(address, 'a.localhost', 'wildcard')).not.toBeNull();
      expect(rules.refusal(address, 'localhost', 'exact')).toBeNull();
      expect(rules.refusal(address, '127.0.0.1', 'exact')).toBeNull();
    }
  });
});

describe('a lookup', () => {
  it('answers with the checked addresses, whatever the name means by then', async () => {
    const one = await new Promise((resolve) =>
      fixedLookup(['192.0.2.1', '2001:db8::1'])('anything.example', {}, (_, address) => resolve(address)),
    );
    expect(one).toBe('192.0.2.1');
  });
});
