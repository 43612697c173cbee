import { checkCharacters, checkCredential } from './check-credential.ts';
import { checkIssuer } from './check-issuer.ts';

const random = 'a1B2c3D4e5F6g7H8'.repeat(4);

describe('a credential', () => {
  it.each([
    ['OpenAI', `sk-proj-${random}_-T3BlbkFJ`],
    ['Anthropic', `sk-ant-api03-${random}-AA`],
    ['Azure (hex)', '0123456789abcdef0123456789abcdef'],
    ['Azure (84 characters)', `${random}JQQJ99ALACYeBjFXJ3w3`],
    ['AWS access key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['AWS secret access key', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'],
    ['AWS session token', `IQoJb3JpZ2luX2VjE${random}//////////wEaCXVzLWVhc3QtMSJ+==`],
    ['Bedrock API key', `ABSK${random}=`],
    ['Google API key', 'AIzaSyA-0123456789_abcdefghijklmnopqrstu'],
    ['Google access token', `ya29.a0AfB_by${random}....`],
    ['Vertex express key', 'AQ.Ab8RN6-0123456789_abcdefghijklmnopqrstuv'],
    ['Cohere', 'a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0'],
    ['Mistral', 'a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6'],
    ['Groq', `gsk_${random}`],
    ['xAI', `xai-${random}`],
    ['Fireworks', 'fw_3ZfFyH7dHvMn5pQrStUvWxYz'],
    ['OpenRouter', 'sk-or-v1-0123456789abcdef0123456789abcdef'],
    ['Together', '0123456789abcdef0123456789abcdef0123456789abcdef'],
    ['Databricks', 'dapi0123456789abcdef0123456789abcdef-2'],
    ['fal, with an id', '01234567-89ab-cdef-0123-456789abcdef:0123456789abcdef'],
    ['a JSON web token', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl'],
    ['letters only', 'qwertyuiopasdfghjklzxcvb'],
    ['a self-chosen key', 'upstream-key'],
  ])('a credential of %s is accepted', (_provider, credential) => {
    expect(() => checkCredential('api_key', credential)).not.toThrow();
  });

  it.each([
    ['"level":"info","service":"edge-gateway"', /quotes/],
    ["'quoted-key-0123'", /quotes/],
    ['back\\slash-0123456789', /backslashes/],
    ['[redacted]', /brackets/],
    ['</script>0123', /brackets/],
    ['{"type":"service_account"}', /"service_account"/],
    ['{OPENAI_API_KEY}', /JSON/],
    ['EMPTY', /at least 8 characters/],
    ['ollama', /leave the field out/],
    ['assistant', /common word/],
    ['Assistant', /common word/],
    ['UNDEFINED', /common word/],
    ['chat-completions', /common word/],
    ['Content-Type', /common word/],
  ])(
    'a credential of the form %s is rejected with the field and the fix, and without the value',
    (credential, fault) => {
      const check = () => {
        checkCredential('api_key', credential);
      };
      expect(check).toThrow(expect.objectContaining({ code: 'invalid_field', param: 'api_key' }));
      expect(check).toThrow(fault);
      expect(check).toThrow(expect.not.objectContaining({ message: expect.stringContaining(credential) }));
    },
  );
});

describe('an API key', () => {
  const rejected = (reason: RegExp) =>
    expect.objectContaining({
      code: 'invalid_field',
      message: expect.stringMatching(reason) as string,
    }) as Error;

  it.each([
    ['sk-abcdefgh\n', /white space/],
    [' sk-abcdefgh', /white space/],
    ['sk-abc defgh', /white space/],
    ['Bearer sk-abcdefgh', /without the word "Bearer"/],
    ['sk-abcdefgh\u200b', /visible ASCII/],
  ])('with the characters %j is rejected', (key, reason) => {
    expect(() => checkCharacters('api_key', key)).toThrow(rejected(reason));
  });

  it.each([
    ['openai', `sk-ant-api03-${random}`, /a key of Anthropic/],
    ['anthropic', `sk-proj-${random}`, /a key of OpenAI/],
    ['openai', `sk-svc-${random}`, /a key of this gateway/],
    ['hosted', 'AKIAIOSFODNN7EXAMPLE', /"access_key_id"/],
    ['mistral', `gsk_${random}`, /a key of Groq/],
    ['openai', 'YOUR_API_KEY', /placeholder/],
    ['openai', 'sk-xxxxxxxxxxxx', /placeholder/],
  ])('of another issuer is rejected by %s: %s', (provider, key, reason) => {
    expect(() => checkIssuer('api_key', provider, key)).toThrow(rejected(reason));
  });

  it.each([
    ['openai', `sk-proj-${random}`],
    ['openai', `sk-${random}`],
    ['deepseek', `sk-${random}`],
    ['anthropic', `sk-ant-api03-${random}`],
    ['googleopenai', `AIzaSyA-${random}`],
    ['groq', `gsk_${random}`],
  ])('of %s is accepted: %s', (provider, key) => {
    expect(() => checkIssuer('api_key', provider, key)).not.toThrow();
  });
});
