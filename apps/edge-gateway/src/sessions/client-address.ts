import ipaddr from 'ipaddr.js';

/**
 * The address by which a client's attempts are counted: an IPv4 address, or the /64 network of an IPv6 one, all of which
 * is one customer's.
 */
export function chooseClientAddress(ip: string): string {
  if (!ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  const network = address.toByteArray().slice(0, 8);
  return `${Buffer.from(network).toString('hex')}/64`;
}
