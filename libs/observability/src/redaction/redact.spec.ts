import { redactLine, redactText, redactValue } from './redact.ts';
import { SecretSet } from './secret-set.ts';

const jwt = ['eyJhbGciOiJFUzI1NiJ9', 'eyJzdWIiOiJzb21lYm9keSJ9', 'c2lnbmF0dXJlLW9mLWl0'].join('.');
const redact = (text: string) => redactText(text, undefined);

describe('credentials of a known form', () => {
  it.each([
    ['a session token', jwt],
    ['a refresh token', `rt-svc-${'Ab3_-'.repeat(8)}xyz`],
    ['a gateway key', `sk-svc-${'a1B2'.repeat(12)}x`],
    ['an OpenAI key', `sk-proj-${'a1B2_-'.repeat(8)}`],
    ['an AWS access key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['an Amazon Bedrock API key', `ABSK${'QmVkcm9jaw'.repeat(6)}==`],
    ['a Google key', `AIza${'Sy0-_'.repeat(7)}`],
    ['a Google access token', `ya29.a0${'AfB_by'.repeat(6)}`],
    ['a Groq key', `gsk_${'a1B2'.repeat(13)}`],
    ['an xAI key', `xai-${'a1B2'.repeat(20)}`],
    ['a GitHub token', `ghp_${'a1B2'.repeat(9)}`],
    ['a private key', '-----BEGIN PRIVATE KEY-----\\nMIIEvQ+/=\\nab\\n-----END PRIVATE KEY-----'],
  ])('%s is redacted for every account', (_name, credential) => {
    const redacted = redact(`before ${credential} after`);
    expect(redacted).toMatch(/^before \[redacted\].* after$/);
    expect(redacted).not.toContain(credential.slice(0, 8));
  });

  it('JSON members that contain secrets are redacted in a text', () => {
    const text = JSON.stringify({
      msg: 'x',
      nested: { current_password: 'first "one"', newPassword: 'second\\', refresh_token: 'x' },
    });
    const redacted = redact(`${text} {"accessToken" : "y"}`);
    expect(redacted).not.toMatch(/first|one|second|"x"}|"y"/);
    expect(redacted).toContain('"refresh_token":"[redacted]"');
  });

  it.each(['', 'x-', 'session-token.value.', 'gateway-service.example.', 'eyJshort.', 'x.eyJ.eyJ.'])(
    'a session token is redacted after “%s”',
    (before) => {
      expect(redact(before + jwt)).toBe(`${before}[redacted]`);
    },
  );

  it('other text is unchanged', () => {
    const text =
      'a task-list with risk-free words, sk-1, hf_hub_download, fw_update and a bearer of news at http://127.0.0.1:8080/v1';
    expect(redact(text)).toBe(text);
  });
});

describe('a value', () => {
  const secrets = new SecretSet();
  secrets.add('"level":"info","service":"edge-gateway"');
  secrets.add('request_id');

  it('keeps its shape and its field names, whatever the secrets contain', () => {
    const line =
      '{"level":"info","service":"edge-gateway","request_id":"request_id","msg":"of request_id"}\n';
    expect(redactLine(line, secrets)).toBe(
      '{"level":"info","service":"edge-gateway","request_id":"request_id","msg":"of [redacted]"}\n',
    );
  });

  it('is the same object if it contains no secret', () => {
    const value = { list: [{ a: 'b' }], n: 1, none: null };
    expect(redactValue(value, secrets)).toBe(value);
  });

  it('does not keep values that are nested too deeply to search', () => {
    let value: unknown = 'request_id';
    for (let depth = 0; depth < 40; depth += 1) value = [value];
    expect(JSON.stringify(redactValue(value, secrets))).not.toContain('request_id');
  });

  it('does not keep the text of a field whose name indicates a secret', () => {
    const shown = redactValue(
      { 'x-api-key': 'abc', secret_access_key: 'd', tokens: 'e', token: 5 },
      undefined,
    );
    expect(shown).toEqual({
      'x-api-key': '[redacted]',
      secret_access_key: '[redacted]',
      tokens: 'e',
      token: 5,
    });
  });
});
