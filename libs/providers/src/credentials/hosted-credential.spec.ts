import {
  createHostedCredential,
  hostedBaseUrl,
  parseHostedCredential,
  renderHostedCredential,
} from './hosted-credential.ts';

const refusal = (code: string, param: string) => expect.objectContaining({ code, param }) as Error;

describe('a credential for Amazon Bedrock', () => {
  it.each([
    { api_key: 'bedrock-api-key-x' },
    { api_key: 'k', region: 'eu-west-1' },
    { access_key_id: 'AKID', secret_access_key: 's/+=' },
    { access_key_id: 'ASIA', secret_access_key: 's', session_token: 't', region: 'us-gov-east-1' },
  ])('a Bedrock credential is the same after rendering and parsing: %j', (fields) => {
    const credential = createHostedCredential(fields);
    expect(parseHostedCredential(renderHostedCredential(credential))).toEqual(credential);
  });

  it('a bare string is parsed as an API key for us-east-1', () => {
    expect(parseHostedCredential('k')).toEqual({ kind: 'bearer', key: 'k', region: 'us-east-1' });
    expect(renderHostedCredential(parseHostedCredential('k'))).toBe('k');
  });

  it.each(['', 'us-east-1.evil.test/', 'us_east_1', 'US-EAST-1', 'us-east-1\n', '169.254.169.254'])(
    'rejects a region that could change the host: %j',
    (region) => {
      expect(() => createHostedCredential({ api_key: 'k', region })).toThrow(
        refusal('invalid_field', 'region'),
      );
    },
  );

  it('an invalid credential causes an error that contains the missing or invalid field, but never its value', () => {
    const create = (fields: Parameters<typeof createHostedCredential>[0]) => () =>
      createHostedCredential(fields, (field) => `cloud_${field}`);
    expect(create({})).toThrow(refusal('missing_field', 'cloud_access_key_id'));
    expect(create({ access_key_id: 'a' })).toThrow(refusal('missing_field', 'cloud_secret_access_key'));
    expect(create({ api_key: 'secret\n' })).toThrow(refusal('invalid_field', 'cloud_api_key'));
    expect(create({ api_key: 'secret\n' })).not.toThrow(/secret/);
    expect(() => parseHostedCredential('{"api_key":1}')).toThrow(refusal('invalid_field', 'api_key'));
    expect(() => parseHostedCredential('{')).toThrow(refusal('invalid_field', 'api_key'));
  });

  it('a Bedrock credential has the base URL of its region', () => {
    expect(hostedBaseUrl('ap-south-1')).toBe('https://bedrock-runtime.ap-south-1.amazonaws.com');
    expect(hostedBaseUrl('cn-north-1')).toBe('https://bedrock-runtime.cn-north-1.amazonaws.com.cn');
  });
});
