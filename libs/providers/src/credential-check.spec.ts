import { judgeCredential, renderCredentialCheck } from './credential-check.ts';
import { renderHostedCredential } from './credentials/hosted-credential.ts';
import { findProvider } from './provider-table.ts';

const signing = renderHostedCredential({
  kind: 'access-key',
  accessKey: { accessKeyId: 'AKID', secretAccessKey: 'secret' },
  region: 'eu-west-1',
});
const checkOf = (
  name: string,
  { credential = 'sk-test', baseUrl = null }: { credential?: string | null; baseUrl?: string | null } = {},
) =>
  renderCredentialCheck(
    { provider: findProvider(name)!, credential, baseUrl },
    new Date('2026-11-20T00:00:00Z'),
  );
const judge = (name: string, status: number, headers = {}, credential = 'sk-test') =>
  judgeCredential({ provider: findProvider(name)!, credential }, { status, headers });

describe('the request that checks a credential', () => {
  it.each([
    ['openai', 'https://api.openai.com/v1/models', 'authorization', 'Bearer sk-test'],
    ['anthropic', 'https://api.anthropic.com/v1/models', 'x-api-key', 'sk-test'],
    [
      'google',
      'https://generativelanguage.googleapis.com/v1beta/models?pageSize=1',
      'x-goog-api-key',
      'sk-test',
    ],
    ['cohere', 'https://api.cohere.com/v1/models?page_size=1', 'authorization', 'Bearer sk-test'],
    ['cohereopenai', 'https://api.cohere.ai/v1/models?page_size=1', 'authorization', 'Bearer sk-test'],
    ['openrouter', 'https://openrouter.ai/api/v1/key', 'authorization', 'Bearer sk-test'],
    [
      'hosted',
      'https://bedrock-runtime.us-east-1.amazonaws.com/async-invoke?maxResults=1',
      'authorization',
      'Bearer sk-test',
    ],
  ])('is sent to the address of %s with the credential', async (name, url, header, value) => {
    const request = await checkOf(name);
    expect(request?.url).toBe(url);
    expect(request?.headers[header]).toBe(value);
  });

  it('is sent to the address of the connection, and on Azure to the resource instead of a deployment', async () => {
    const own = await checkOf('openai', { baseUrl: 'https://own.test/v1/' });
    expect(own?.url).toBe('https://own.test/v1/models');
    const baseUrl = 'https://acme.openai.azure.com/openai/deployments/%7Bmodel%7D?api-version=2024-10-21';
    const azure = await checkOf('azure', { baseUrl });
    expect(azure?.url).toBe('https://acme.openai.azure.com/openai/models?api-version=2024-10-21');
  });

  it('is signed with an access key, and never contains the secret of the access key', async () => {
    const request = await checkOf('hosted', { credential: signing });
    expect(request?.url).toContain('bedrock-runtime.eu-west-1.');
    expect(request?.headers['authorization']).toContain('AKID/20261120/eu-west-1/bedrock/aws4_request');
    expect(JSON.stringify(request)).not.toContain('"secret');
  });

  it('contains no credential if the credential is null', async () => {
    const request = await checkOf('openai', { credential: null });
    expect(request?.headers).not.toHaveProperty('authorization');
  });

  it.each(['jina', 'voyage'])('does not exist for %s', async (name) => {
    expect(await checkOf(name)).toBeUndefined();
  });
});

describe('the verdict on a credential', () => {
  it.each([
    ['openai', 200, 'accepted'],
    ['openai', 401, 'refused'],
    ['openai', 403, 'refused'],
    ['openai', 400, 'unknown'],
    ['openai', 404, 'unknown'],
    ['openai', 500, 'unknown'],
    ['openai', 302, 'unknown'],
    ['google', 400, 'refused'],
    ['xai', 400, 'refused'],
  ])('of %s with the status %i is %s', (name, status, verdict) => {
    expect(judge(name, status)).toBe(verdict);
  });

  it('is accepted for an AWS access key that only lacks a permission, but not for a refused signature or key', () => {
    const denied = { 'x-amzn-errortype': 'AccessDeniedException:http://internal.amazon.com/' };
    const unknown = { 'x-amzn-errortype': 'UnrecognizedClientException' };
    expect(judge('hosted', 403, denied, signing)).toBe('accepted');
    expect(judge('hosted', 403, unknown, signing)).toBe('refused');
    expect(judge('hosted', 403, denied, 'bedrock-api-key')).toBe('refused');
  });
});
