import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An IP address block, defined by network and prefix length. */
export type Cidr = readonly [Address, number];

/** The well-known prefix under which a NAT64 gateway reaches IPv4 addresses (RFC 6052 §2.1). */
const nat64: Cidr = ipaddr.parseCIDR('64:ff9b::/96');
/** The only block from which registries allocate public unicast addresses (RFC 4291 §2.4). */
const globalUnicast: Cidr = ipaddr.parseCIDR('2000::/3');
/**
 * Azure's platform address (metadata, DNS, agents). Azure's platform address looks public but is served by
 * the virtual machine's host. The platform addresses of other clouds are in address ranges that are always
 * denied (169.254.169.254, 100.100.100.200, fd00:ec2::254).
 */
const platformAddresses: readonly Cidr[] = [ipaddr.parseCIDR('168.63.129.16/32')];

/**
 * Parses a CIDR block or a single address.
 * @throws Error if the text is neither a CIDR block nor an address.
 */
export function parseCidr(text: string): Cidr {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * Parses an IP address in text form, without brackets. Mapped (`::ffff:a.b.c.d`) and NAT64
 * (`64:ff9b::a.b.c.d`) addresses are converted to the IPv4 address that a packet would reach. Returns
 * undefined if the text is not an IP address.
 */
export function parseAddress(text: string): Address | undefined {
  if (!ipaddr.isValid(text)) return undefined;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') return address;
  const six = address as ipaddr.IPv6;
  if (six.isIPv4MappedAddress() || matches(six, nat64)) {
    return ipaddr.fromByteArray(six.toByteArray().slice(12));
  }
  return six;
}

/** Whether one of the address blocks contains the address. */
export function isListed(address: Address, blocks: readonly Cidr[]): boolean {
  return blocks.some((block) => matches(address, block));
}

/**
 * Whether the address is a public unicast address that a registry has allocated to a network on the internet.
 * Addresses in the IANA special-purpose registries (RFC 6890) are not public. Tunnel addresses (6to4, Teredo)
 * are not public either, because a tunnel may end at a private IPv4 address.
 */
export function isPublic(address: Address): boolean {
  if (isListed(address, platformAddresses) || address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || matches(address, globalUnicast);
}

function matches(address: Address, [network, prefixLength]: Cidr): boolean {
  return address.kind() === network.kind() && address.match(network, prefixLength);
}
