import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { findProvider } from '../provider-table.ts';
import { signUpstreamRequest } from '../sign-upstream-request.ts';
import { renderUpstreamRequest, type UpstreamCall } from '../upstream-request.ts';
import { isSigningKey, renderServiceAccount } from './service-account.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const account = {
  client_email: 'gateway@my-project.iam.gserviceaccount.com',
  private_key_id: '0123456789abcdef',
  private_key: pem,
};
const call: UpstreamCall = {
  provider: findProvider('vertex')!,
  format: 'gemini',
  baseUrl: 'https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global',
  model: 'gemini-2.5-flash',
  credential: renderServiceAccount(account),
  stream: false,
};
const body = Buffer.from('{}');

async function tokenAt(signedAt: Date, over: Partial<UpstreamCall> = {}): Promise<string> {
  const request = renderUpstreamRequest({ ...call, ...over });
  const signed = await signUpstreamRequest({ ...call, ...over }, request, { method: 'POST', body }, signedAt);
  return (signed.headers['authorization'] ?? '').replace('Bearer ', '');
}

describe('a request to Vertex AI with a service account', () => {
  const now = new Date('2026-11-20T12:00:00Z');

  it('a request to Vertex AI carries a token that the service account signed, valid for one hour', async () => {
    const { payload, protectedHeader } = await jwtVerify(await tokenAt(now), publicKey, {
      audience: 'https://aiplatform.googleapis.com/',
      issuer: account.client_email,
      subject: account.client_email,
      currentDate: now,
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id });
    expect(payload.exp! - payload.iat!).toBe(3_600);
  });

  it('the gateway reuses a signed token until five minutes before the token expires', async () => {
    const first = await tokenAt(now);
    await expect(tokenAt(new Date(now.getTime() + 54 * 60_000))).resolves.toBe(first);
    await expect(tokenAt(new Date(now.getTime() + 56 * 60_000))).resolves.not.toBe(first);
  });

  it('a request to Vertex AI never carries the private key or another account’s token', async () => {
    const request = renderUpstreamRequest(call);
    expect(JSON.stringify(request)).not.toContain('PRIVATE KEY');
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const private_key = other.export({ type: 'pkcs8', format: 'pem' }).toString();
    const credential = renderServiceAccount({ ...account, private_key });
    expect(await tokenAt(now, { credential })).not.toBe(await tokenAt(now));
  });

  it('a request to Vertex AI carries a given access token unchanged', async () => {
    await expect(tokenAt(now, { credential: 'ya29.token' })).resolves.toBe('ya29.token');
    await expect(tokenAt(now, { credential: '{TOKEN}' })).resolves.toBe('{TOKEN}');
  });
});

it.each([
  '',
  'sk-1',
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
])('only an RSA private key is accepted as a signing key', (text) => {
  expect(isSigningKey(text)).toBe(false);
  expect(isSigningKey(pem)).toBe(true);
});
