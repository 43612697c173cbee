import { chooseClientAddress, requireSameSite } from './browser-request.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '20010db800010002/64'],
  ['2001:db8:1:2::1', '20010db800010002/64'],
  ['2001:db8:1:3::1', '20010db800010003/64'],
  ['', 'unknown'],
  ['nonsense', 'unknown'],
])('counts the attempts from %s under %s', (ip, counted) => {
  expect(chooseClientAddress(ip)).toBe(counted);
});

const host = 'gateway.example:8443';

describe('a call to /v1/auth', () => {
  it.each([
    {},
    { origin: 'https://gateway.example:8443' },
    { origin: 'https://gateway.example:8443', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('is accepted from a program or from one of the gateway’s own pages: %j', (headers) => {
    expect(() => requireSameSite({ headers, host })).not.toThrow();
  });

  it.each([
    { origin: 'https://gateway.example' },
    { origin: 'https://gateway.example:8443.attacker.example' },
    { origin: 'https://attacker.example/gateway.example:8443' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://gateway.example:8443', 'sec-fetch-site': 'cross-site' },
  ])('is rejected if it comes from another site: %j', (headers) => {
    expect(() => requireSameSite({ headers, host })).toThrow(
      expect.objectContaining({ code: 'cross_site_request' }) as Error,
    );
  });
});
