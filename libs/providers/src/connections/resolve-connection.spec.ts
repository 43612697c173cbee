import { generateKeyPairSync } from 'node:crypto';
import { findProvider } from '../provider-table.ts';
import type { ConnectionFields } from '../provider/connection-fields.ts';
import { resolveConnection } from './resolve-connection.ts';

const resolve = (name: string, fields: ConnectionFields) => resolveConnection(findProvider(name)!, fields);
const key = 'sk-secret-1';
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const service_account = {
  project_id: 'my-project',
  private_key_id: '0123456789abcdef',
  private_key: privateKey,
  client_email: 'gateway@my-project.iam.gserviceaccount.com',
};

describe('resolveConnection', () => {
  it('accepts a key and a base URL that overrides the provider’s own', () => {
    expect(resolve('openai', { api_key: key })).toEqual({ credential: key, baseUrl: null });
    expect(resolve('openai', { api_key: key, base_url: 'https://own.test/v1' })).toEqual({
      credential: key,
      baseUrl: 'https://own.test/v1',
    });
  });

  it.each<[string, ConnectionFields, string, string]>([
    ['openai', {}, 'missing_field', 'api_key'],
    ['openai', { api_key: 'two words' }, 'invalid_field', 'api_key'],
    ['openai', { api_key: 'sk-trailing-line\n' }, 'invalid_field', 'api_key'],
    ['openai', { api_key: 'sk-ant-api03-0123456789' }, 'invalid_field', 'api_key'],
    ['openai', { api_key: key, region: 'us-east-1' }, 'invalid_field', 'region'],
    ['anthropic', { api_key: key, project: 'p' }, 'invalid_field', 'project'],
    ['azure', { api_key: key }, 'missing_field', 'base_url'],
    [
      'azure',
      { api_key: key, base_url: 'https://a.test', api_version: '1&x=y' },
      'invalid_field',
      'api_version',
    ],
    ['custom', { api_key: key }, 'missing_field', 'base_url'],
    ['custom', {}, 'missing_field', 'base_url'],
    ['ollama', { api_key: key, region: 'us-east-1' }, 'invalid_field', 'region'],
    ['openai', { api_key: key, base_url: 'https://me:sk-secret-1@own.test/v1' }, 'invalid_field', 'base_url'],
    ['openai', { api_key: key, base_url: 'https://own.test/v1#sk-secret-1' }, 'invalid_field', 'base_url'],
    ['openai', { api_key: key, service_account }, 'invalid_field', 'service_account'],
    ['vertex', {}, 'missing_field', 'api_key'],
    ['vertex', { api_key: key, service_account }, 'invalid_field', 'api_key'],
    [
      'vertex',
      { service_account: { ...service_account, private_key: 'sk-secret-1' } },
      'invalid_field',
      'service_account.private_key',
    ],
    [
      'vertex',
      { service_account: { ...service_account, project_id: undefined } },
      'missing_field',
      'project',
    ],
    ['hosted', { api_key: key, access_key_id: 'AKIA1' }, 'invalid_field', 'access_key_id'],
    ['hosted', { api_key: key, session_token: 't' }, 'invalid_field', 'session_token'],
    ['hosted', { secret_access_key: 's' }, 'missing_field', 'access_key_id'],
    ['vertex', { api_key: key }, 'missing_field', 'project'],
    ['vertex', { api_key: key, project: '../x' }, 'invalid_field', 'project'],
    ['vertex', { api_key: key, project: 'my-project', region: 'evil.test/' }, 'invalid_field', 'region'],
    ['hosted', {}, 'missing_field', 'access_key_id'],
    ['hosted', { access_key_id: 'AKIA1' }, 'missing_field', 'secret_access_key'],
    ['hosted', { api_key: key, region: 'evil.test' }, 'invalid_field', 'region'],
  ])(
    'rejects for %s %j with an error that contains the field name but never the value',
    (name, fields, code, param) => {
      let thrown: unknown;
      try {
        resolve(name, fields);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ code, param });
      expect(JSON.stringify(thrown)).not.toContain(key);
    },
  );

  it.each([
    [{ base_url: 'https://a.openai.azure.com' }, 'https://a.openai.azure.com/openai/v1'],
    [{ base_url: 'https://a.openai.azure.com/openai/v1/' }, 'https://a.openai.azure.com/openai/v1'],
    [
      { base_url: 'https://a.openai.azure.com/openai', api_version: '2024-10-21' },
      'https://a.openai.azure.com/openai/deployments/%7Bmodel%7D?api-version=2024-10-21',
    ],
    [
      { base_url: 'https://a.services.ai.azure.com/models', api_version: '2024-05-01-preview' },
      'https://a.services.ai.azure.com/models?api-version=2024-05-01-preview',
    ],
    [
      { base_url: 'https://a.test/openai/deployments/x?api-version=2024-10-21' },
      'https://a.test/openai/deployments/x?api-version=2024-10-21',
    ],
  ])('resolves %j to the address of an Azure resource', (fields, baseUrl) => {
    expect(resolve('azure', { api_key: key, ...fields }).baseUrl).toBe(baseUrl);
  });

  it.each([
    [{}, 'https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global'],
    [
      { region: 'europe-west4' },
      'https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/my-project/locations/europe-west4',
    ],
    [{ region: 'eu' }, 'https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/my-project/locations/eu'],
    [{ base_url: 'https://own.test/v1/' }, 'https://own.test/v1/projects/my-project/locations/global'],
  ])('resolves %j to the address of a Vertex project', (fields, baseUrl) => {
    expect(resolve('vertex', { api_key: key, project: 'my-project', ...fields })).toEqual({
      credential: key,
      baseUrl,
    });
  });

  it('accepts a self-hosted server without a key', () => {
    expect(resolve('ollama', {})).toEqual({ credential: '', baseUrl: null });
    expect(resolve('custom', { base_url: 'http://127.0.0.1:8000/v1' })).toMatchObject({ credential: '' });
  });

  it('stores a service account’s identity and key, and uses its project by default', () => {
    const saved = resolve('vertex', { service_account, region: 'eu' });
    const { project_id, ...kept } = service_account;
    expect(JSON.parse(saved.credential)).toEqual(kept);
    expect(saved.baseUrl).toContain(`/projects/${project_id}/locations/eu`);
    expect(resolve('vertex', { service_account, project: 'other-project' }).baseUrl).toContain(
      '/other-project/',
    );
  });

  it('stores an access key for Amazon Bedrock and its region as one string', () => {
    const fields = {
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG',
      region: 'eu-west-1',
    };
    expect(JSON.parse(resolve('hosted', fields).credential)).toEqual(fields);
    expect(resolve('hosted', { api_key: key })).toEqual({ credential: key, baseUrl: null });
  });
});
