/**
 * Addresses that builds must not reach: this host's own, its neighbours, and all that are not on the public internet.
 * A closed network may have its package index at such an address, so a host that the configuration names itself is
 * allowed. Loopback is allowed only if it was named as such.
 */
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Grant } from './allow-list.ts';

export type Interfaces = ReturnType<typeof networkInterfaces>;

/** address, prefix length; IANA's special-purpose registries. */
const RESERVED: [string, number][] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];

/** The kernel takes a connection to the unspecified address as one to the loopback. */
const LOOPBACK: [string, number][] = [
  ['127.0.0.0', 8],
  ['0.0.0.0', 8],
  ['::', 127],
];

export interface AddressRules {
  /** Why `address` may not be connected to, or null when it may. */
  refusal(address: string, host: string, grant: Grant): string | null;
}

/** The rules for a host with these interfaces. */
export function addressRules(interfaces: Interfaces = networkInterfaces()): AddressRules {
  const loopback = blockList(LOOPBACK);
  const reserved = blockList(RESERVED);
  const near = nearby(interfaces);
  return {
    refusal(address, host, grant) {
      const plain = withoutMapping(address);
      const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
      if (isIP(plain) === 0) return 'not an address';
      if (loopback.check(plain, family)) {
        const isLiteral = host === 'localhost' || isIP(host) !== 0;
        return grant === 'exact' && isLiteral ? null : 'an address of this machine';
      }
      if (grant === 'exact') return null;
      if (near.check(plain, family)) return "an address of this machine's network";
      return reserved.check(plain, family) ? 'not a public address' : null;
    },
  };
}

/** This host's addresses and everything on the same links. */
function nearby(interfaces: Interfaces): BlockList {
  const list = new BlockList();
  for (const entry of Object.values(interfaces).flatMap((entries) => entries ?? [])) {
    const family = entry.family === 'IPv6' ? 'ipv6' : 'ipv4';
    const address = entry.address.replace(/%.*$/, '');
    const prefix = Number(entry.cidr?.split('/')[1] ?? (family === 'ipv6' ? 128 : 32));
    list.addSubnet(address, prefix, family);
  }
  return list;
}

function blockList(entries: [string, number][]): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of entries)
    list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** IPv4 addresses written as IPv6 (::ffff:a.b.c.d) count as what they are. */
function withoutMapping(address: string): string {
  const bare = address.replace(/%.*$/, '');
  const dotted = /^::(?:ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(bare);
  if (hex === null) return bare;
  const [high, low] = [Number.parseInt(hex[1]!, 16), Number.parseInt(hex[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
