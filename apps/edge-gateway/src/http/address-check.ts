import { BlockList, isIP } from 'node:net';

/**
 * Returns a function that checks whether an IP address is in one of the address blocks. The function treats an
 * IPv4-mapped IPv6 address as an IPv4 address.
 * @param cidrs valid address blocks, such as `10.0.0.0/8`
 */
export function createAddressCheck(cidrs: readonly string[]): (address: string | undefined) => boolean {
  const blocks = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', prefix = ''] = cidr.split('/');
    blocks.addSubnet(network, Number(prefix), familyOf(network));
  }
  if (cidrs.length === 0) return () => false;
  return (address) =>
    address !== undefined && isIP(address) !== 0 && blocks.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
