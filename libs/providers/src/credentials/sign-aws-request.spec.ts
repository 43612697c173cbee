import { createHash, createHmac } from 'node:crypto';
import { signRequest, type SigningRequest } from './sign-aws-request.ts';

/** Test cases and signatures from AWS's Signature Version 4 test suite (aws-sig-v4-test-suite, 2015). */
const vanilla: SigningRequest = {
  method: 'GET',
  url: 'https://example.amazonaws.com/',
  body: Buffer.alloc(0),
  accessKey: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
  service: 'service',
  signedAt: new Date('2015-08-30T12:36:00Z'),
};

/** Computes the signature from the specification, independently of the code under test. */
function signatureOf(request: SigningRequest, signed: Record<string, string>, canonicalPath: string): string {
  const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const names = Object.keys(signed).sort();
  const canonical = [
    request.method,
    canonicalPath,
    '',
    ...names.map((name) => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    sha256(request.body),
  ].join('\n');
  const day = signed['x-amz-date']!.slice(0, 8);
  const scope = `${day}/${request.region}/${request.service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', signed['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [day, request.region, request.service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${request.accessKey.secretAccessKey}`,
  );
  return createHmac('sha256', key).update(toSign).digest('hex');
}

describe('a signed request', () => {
  it.each([
    ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-vanilla-query-order-key-case',
      { url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
  ] as [string, Partial<SigningRequest>, string][])(
    "matches the signature for AWS's %s",
    async (_, changes, signature) => {
      expect(await signRequest({ ...vanilla, ...changes })).toEqual({
        authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
        'x-amz-date': '20150830T123600Z',
      });
    },
  );

  it('the signature covers the body, the content type, the session token, and the path with its escapes encoded again', async () => {
    const request: SigningRequest = {
      ...vanilla,
      method: 'POST',
      url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%2Fx-v1%3A0/converse-stream',
      contentType: 'application/json',
      body: Buffer.from('{"messages":[]}'),
      accessKey: { ...vanilla.accessKey, sessionToken: 'token/+=' },
      region: 'eu-west-1',
      service: 'bedrock',
    };
    const signed = {
      host: 'bedrock-runtime.eu-west-1.amazonaws.com',
      'content-type': 'application/json',
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': 'token/+=',
    };
    const path = '/model/arn%253Aaws%253Abedrock%252Fx-v1%253A0/converse-stream';
    const headers = await signRequest(request);
    expect(headers['x-amz-security-token']).toBe('token/+=');
    expect(headers.authorization).toContain(
      'SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,',
    );
    expect(headers.authorization).toMatch(new RegExp(`Signature=${signatureOf(request, signed, path)}$`));
    const other = await signRequest({ ...request, body: Buffer.from('{"messages":[ ]}') });
    expect(other.authorization).not.toBe(headers.authorization);
  });
});
