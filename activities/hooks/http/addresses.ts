/**
 * Which network addresses hooks may ask. Who writes a HookTemplate must not reach what only the node or the cloud's machines
 * may reach, such as the credentials that a metadata service hands out.
 */
import { BlockList, isIP } from 'node:net';

/** Link-local networks, and the metadata services of clouds that live elsewhere. */
export const DENIED_BY_DEFAULT: readonly string[] = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
];

/** In these NAT64 writes an IPv4 address as the last 32 bits: the well-known network and that for use of one's own. */
const NAT64 = listOf(['64:ff9b::/96', '64:ff9b:1::/48']);

/** Networks as `10.0.0.0/8`, `fd00::/8` or a single address. */
export interface AddressRules {
  /** Wins over `allow`. */
  deny: readonly string[];
  /** Nothing but these; empty means everything that is not denied. */
  allow: readonly string[];
}

/** Is it a network or an address that a rule can hold? */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= widthOf(version));
}

export class AddressPolicy {
  readonly #denied: BlockList;
  readonly #allowed: BlockList | undefined;

  /** Every network must pass `isNetwork`. */
  constructor({ deny, allow }: AddressRules = { deny: DENIED_BY_DEFAULT, allow: [] }) {
    this.#denied = listOf(deny);
    this.#allowed = allow.length === 0 ? undefined : listOf(allow);
  }

  /** An IPv4 address that is written as IPv6, or that NAT64 leads to, is judged as what it is. */
  permits(address: string): boolean {
    const forms = formsOf(address);
    if (forms.some((form) => has(this.#denied, form))) return false;
    return this.#allowed === undefined || forms.some((form) => has(this.#allowed as BlockList, form));
  }
}

const has = (list: BlockList, address: string) => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');

function formsOf(address: string): string[] {
  return isIP(address) === 6 && has(NAT64, address) ? [address, lastBitsOf(address)] : [address];
}

/** The last 32 bits of an IPv6 address as IPv4, however it is written: a URL has one way of writing it. */
function lastBitsOf(address: string): string {
  const written = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const [head = '', tail] = written.split('::');
  const groups = (tail === undefined ? head : `0:0:${tail}`).split(':').slice(-2);
  return groups
    .map((group) => Number.parseInt(group || '0', 16))
    .flatMap((bits) => [bits >> 8, bits & 0xff])
    .join('.');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const version = isIP(address);
    list.addSubnet(address, bits === undefined ? widthOf(version) : Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

const widthOf = (version: number) => (version === 4 ? 32 : 128);
