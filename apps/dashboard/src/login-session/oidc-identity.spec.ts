import { OidcIdentity } from './oidc-identity.ts';

const settings = {
  kind: 'oidc',
  issuer: 'https://login.example.com',
  client_id: 'dashboard',
  audience: 'gateway',
  scope: 'openid',
} as const;

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

test('a new sign-in contacts the issuer again if the issuer could not be reached before', async () => {
  let calls = 0;
  globalThis.fetch = () => Promise.reject(new TypeError(`away ${(calls += 1)}`));
  const identity = new OidcIdentity(settings);
  await expect(identity.begin('/keys')).rejects.toThrow('away 1');
  await expect(identity.begin('/keys')).rejects.toThrow('away 2');
});
