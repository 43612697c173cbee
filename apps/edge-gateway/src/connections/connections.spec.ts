import { CredentialHealth, secretValues } from './connections.ts';

function healthOf(state: 'unknown' | 'working' | 'failing' = 'working') {
  const reports: (number | null)[] = [];
  let time = 1_000_000;
  const health = new CredentialHealth({
    state,
    report: (status) => reports.push(status),
    now: () => time,
  });
  const note = (...statuses: number[]) => statuses.forEach((status) => health.note(status));
  return { note, reports, pass: (ms: number) => (time += ms) };
}

describe('the health of a credential', () => {
  it('is not reported while the credential works, or while calls fail for other reasons', () => {
    const { note, reports } = healthOf();
    note(200, 400, 404, 429, 500, 503, 200);
    expect(reports).toEqual([]);
  });

  it.each([401, 403])('is reported once when the provider rejects the credential with %i', (status) => {
    const { note, reports } = healthOf();
    note(200, status, status, 429, status);
    expect(reports).toEqual([status]);
  });

  it('is reported when the credential works again, even if another gateway process recorded the rejection', () => {
    const { note, reports } = healthOf('failing');
    note(500, 401, 200, 200);
    expect(reports).toEqual([null]);
  });

  it('is reported at the first success of a credential that was not verified, and at a rejection after it', () => {
    const { note, reports } = healthOf('unknown');
    note(500, 404, 200, 200, 401);
    expect(reports).toEqual([null, 401]);
  });

  it('is reported when the provider rejects a credential that was not verified', () => {
    const { note, reports } = healthOf('unknown');
    note(429, 403, 403);
    expect(reports).toEqual([403]);
  });

  it('is reported at most every ten seconds, and the last report is correct', () => {
    const { note, reports, pass } = healthOf();
    note(401, 200, 401, 200);
    expect(reports).toEqual([401]);
    pass(10_000);
    note(200, 401, 200);
    expect(reports).toEqual([401, null]);
    pass(10_000);
    note(403);
    expect(reports).toEqual([401, null, 403]);
  });
});

describe('the secret values in a credential', () => {
  it.each<[string, readonly string[]]>([
    ['sk-1', ['sk-1']],
    ['', []],
    ['{OPENAI_API_KEY}', ['{OPENAI_API_KEY}']],
    ['{"access_key_id":"AKIA1","secret_access_key":"s","region":"eu-west-1"}', ['AKIA1', 's']],
    ['{"client_email":"a@b.c","private_key_id":"1","private_key":"pem"}', ['pem']],
    [
      '{"private_key":"-----BEGIN PRIVATE KEY-----\\nMIIE\\nabcd\\n-----END PRIVATE KEY-----\\n"}',
      ['MIIE', 'abcd'],
    ],
  ])('in %j are %j', (credential, values) => {
    expect(secretValues(credential)).toEqual(values);
  });
});
