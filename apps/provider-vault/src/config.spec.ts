import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './config.ts';

const kek = Buffer.alloc(32, 9).toString('base64');
const complete = {
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_USER: 'provider-vault',
  NATS_PASSWORD: 'x',
  HEALTH_PORT: '0',
  VAULT_DATABASE_URL: 'postgresql://vault:x@127.0.0.1/vault',
};
const arn = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

describe('the configuration of the vault', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vault-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('takes the key-encryption key from the environment or from a file', () => {
    const file = join(folder, 'kek');
    writeFileSync(file, `${kek}\n`);
    expect(loadConfig({ ...complete, VAULT_KEK: kek, VAULT_KEK_FILE: '' }).VAULT_KEK).toEqual(
      loadConfig({ ...complete, VAULT_KEK_FILE: file }).VAULT_KEK_FILE,
    );
  });

  it('accepts KMS keys instead of local keys, or together with local keys of other versions', () => {
    const { VAULT_KMS_KEYS } = loadConfig({ ...complete, VAULT_KMS_KEYS: arn });
    expect(VAULT_KMS_KEYS?.get(1)).toEqual({ arn, region: 'eu-west-1' });
    const both = loadConfig({ ...complete, VAULT_KEK: kek, VAULT_KMS_KEYS: `2:${arn}` });
    expect([both.VAULT_KEK?.size, both.VAULT_KMS_KEYS?.size]).toEqual([1, 1]);
  });

  it('lists every invalid variable in one error', () => {
    const start = () =>
      loadConfig({ VAULT_KEK: 'short', VAULT_KEK_FILE: join(folder, 'none'), VAULT_KMS_KEYS: 'alias/mine' });
    for (const variable of [
      'NATS_URL',
      'HEALTH_PORT',
      'VAULT_DATABASE_URL',
      'VAULT_KEK:',
      'VAULT_KEK_FILE:',
      'VAULT_KMS_KEYS:',
    ]) {
      expect(start).toThrow(variable);
    }
    expect(() => loadConfig({})).toThrow(/VAULT_DATABASE_URL[\s\S]*VAULT_KEK: set either/);
  });

  it.each([
    ['neither', {}],
    ['both', { VAULT_KEK: kek, VAULT_KEK_FILE: '/nowhere' }],
    ['a short key', { VAULT_KEK: randomBytes(31).toString('base64') }],
    ['two keys with the same version', { VAULT_KEK: `${kek} ${kek}` }],
    ['an empty list', { VAULT_KEK: ' ' }],
    ['a local key and a KMS key with the same version', { VAULT_KEK: kek, VAULT_KMS_KEYS: arn }],
    ['an endpoint without KMS keys', { VAULT_KEK: kek, VAULT_KMS_ENDPOINT: 'https://kms.example' }],
  ])('rejects %s, and the error does not reveal the key', (_, variables) => {
    const start = () => loadConfig({ ...complete, ...variables });
    expect(start).toThrow(/VAULT_K(EK|MS)/);
    try {
      start();
    } catch (error) {
      expect(String(error)).not.toContain(kek.slice(0, 8));
    }
  });
});
