import { isPublic, parseAddress, parseCidr } from './address-policy.ts';

const judge = (text: string): boolean | undefined => {
  const address = parseAddress(text);
  return address === undefined ? undefined : isPublic(address);
};

describe('isPublic', () => {
  test.each([
    ['8.8.8.8'],
    ['104.18.6.192'],
    ['172.15.255.255'],
    ['172.32.0.1'],
    ['100.63.255.255'],
    ['100.128.0.1'],
    ['169.253.0.1'],
    ['2606:4700::6812:7c0'],
    ['2001:4860:4860::8888'],
    ['::ffff:8.8.8.8'],
    ['::ffff:808:808'],
    ['64:ff9b::8.8.8.8'],
  ])('%s is a public address', (text) => {
    expect(judge(text)).toBe(true);
  });

  test.each([
    ['unspecified', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local', '169.254.0.1'],
    ['metadata of most clouds', '169.254.169.254'],
    ['metadata of Alibaba, in carrier-grade NAT', '100.100.100.200'],
    ['platform of Azure', '168.63.129.16'],
    ['metadata of Oracle, in protocol assignments', '192.0.0.192'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['benchmarking', '198.18.0.1'],
    ['6to4 relay', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible loopback', '::127.0.0.1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
    ['mapped private', '::ffff:10.0.0.1'],
    ['mapped metadata', '::ffff:a9fe:a9fe'],
    ['translated (RFC 6145)', '::ffff:0:8.8.8.8'],
    ['NAT64 of loopback', '64:ff9b::127.0.0.1'],
    ['NAT64 of metadata', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of private', '64:ff9b::10.0.0.1'],
    ['local NAT64', '64:ff9b:1::8.8.8.8'],
    ['6to4 of a private address', '2002:a00:1::1'],
    ['6to4 of a public address', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['unique local', 'fc00::1'],
    ['metadata of AWS over IPv6', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['discard', '100::1'],
    ['segment routing', '5f00::1'],
    ['never allocated', '4000::1'],
    ['ORCHIDv2', '2001:20::1'],
    ['benchmarking', '2001:2::1'],
  ])('%s: %s is not a public address', (_kind, text) => {
    expect(judge(text)).toBe(false);
  });

  test.each(['', 'example.com', '1.2.3.4.5', '300.1.1.1', 'g::1'])('%p is not an IP address', (text) => {
    expect(judge(text)).toBeUndefined();
  });
});

describe('parseCidr', () => {
  test('parseCidr parses address blocks and single addresses', () => {
    expect(parseCidr('10.0.0.0/8')[1]).toBe(8);
    expect(parseCidr('10.0.0.1')[1]).toBe(32);
    expect(parseCidr('fd00::1')[1]).toBe(128);
  });

  test.each(['', 'localhost', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129'])('parseCidr throws on %p', (text) => {
    expect(() => parseCidr(text)).toThrow();
  });
});
