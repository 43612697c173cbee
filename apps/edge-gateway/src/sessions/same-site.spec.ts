import { requireSameSite } from './same-site.ts';

const host = 'gateway.example:8443';

describe('a call of /v1/auth', () => {
  it.each([
    {},
    { origin: 'https://gateway.example:8443' },
    { origin: 'https://gateway.example:8443', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])('may come from a program or the gateway’s own page: %j', (headers) => {
    expect(() => requireSameSite({ headers, host })).not.toThrow();
  });

  it.each([
    { origin: 'https://gateway.example' },
    { origin: 'https://gateway.example:8443.attacker.example' },
    { origin: 'https://attacker.example/gateway.example:8443' },
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://gateway.example:8443', 'sec-fetch-site': 'cross-site' },
  ])('may not come from another site: %j', (headers) => {
    expect(() => requireSameSite({ headers, host })).toThrow('another site');
  });
});
