import { findProvider } from './provider-table.ts';
import { signUpstreamRequest } from './sign-upstream-request.ts';
import { renderHostedCredential } from './credentials/hosted-credential.ts';
import { renderUpstreamRequest, type UpstreamCall } from './upstream-request.ts';

const call = (over: Partial<UpstreamCall> = {}): UpstreamCall => ({
  provider: findProvider('hosted')!,
  format: 'converse',
  model: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  credential: renderHostedCredential({
    kind: 'access-key',
    accessKey: { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token' },
    region: 'eu-west-1',
  }),
  stream: false,
  ...over,
});
const body = { method: 'POST', body: Buffer.from('{}') } as const;

describe('a request to Amazon Bedrock', () => {
  it('a request to Amazon Bedrock is sent to the region and the model, and uses a separate endpoint for streaming', () => {
    const { url, headers } = renderUpstreamRequest(call({ stream: true }));
    expect(url).toBe(
      'https://bedrock-runtime.eu-west-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream',
    );
    expect(headers.accept).toBe('application/vnd.amazon.eventstream');
    expect(renderUpstreamRequest(call()).url).toMatch(/\/converse$/);
    const arn = 'arn:aws:bedrock:eu-west-1:1:inference-profile/a';
    expect(renderUpstreamRequest(call({ model: arn })).url).toContain(
      `/model/${encodeURIComponent(arn)}/converse`,
    );
    expect(() => renderUpstreamRequest(call({ model: '..' }))).toThrow(
      expect.objectContaining({ param: 'model' }) as Error,
    );
  });

  it('a request to Amazon Bedrock is signed with an access key and never contains the secret of the access key', async () => {
    const request = renderUpstreamRequest(call());
    expect(request.headers.authorization).toBeUndefined();
    const signed = await signUpstreamRequest(call(), request, body, new Date('2026-11-20T00:00:00Z'));
    expect(signed.headers.authorization).toContain('Credential=AKID/20261120/eu-west-1/bedrock/aws4_request');
    expect(signed.headers).toMatchObject({ ...request.headers, 'x-amz-security-token': 'token' });
    expect(JSON.stringify(signed)).not.toContain('"secret');
  });

  it('a request to Amazon Bedrock carries an API key unchanged, without a signature', async () => {
    const bearer = call({ credential: 'key' });
    const request = renderUpstreamRequest(bearer);
    expect(request.headers.authorization).toBe('Bearer key');
    expect(await signUpstreamRequest(bearer, request, body)).toBe(request);
  });

  it('only requests to Amazon Bedrock are signed with an access key', async () => {
    const other = call({ provider: findProvider('openai')!, format: 'chat-completions', credential: 'sk' });
    const request = renderUpstreamRequest(other);
    expect(await signUpstreamRequest(other, request, body)).toBe(request);
  });
});
