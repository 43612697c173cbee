import { chooseFields, renderConnectBody } from './render-connect-body.ts';

const shown = ['service_account', 'region'];

describe('the fields of the form', () => {
  const simple = { required: ['api_key'], optional: ['base_url'] };
  const hosted = {
    required: [],
    optional: ['api_key', 'access_key_id', 'secret_access_key', 'session_token', 'region'],
    one_of: [
      { required: ['access_key_id', 'secret_access_key'], optional: ['session_token'] },
      { required: ['api_key'], optional: [] },
    ],
  };

  it('are all fields of a provider with one kind of credential, and further keys', () => {
    expect(chooseFields(simple, 0)).toEqual({
      required: ['api_key'],
      names: ['api_key', 'base_url', 'additional_api_keys'],
    });
    const azure = { required: ['api_key', 'base_url'], optional: [] };
    expect(chooseFields(azure, 0).names).toEqual(['api_key', 'base_url']);
  });

  it('are the fields of the chosen kind of credential, and the fields that belong to no kind', () => {
    expect(chooseFields(hosted, 0)).toEqual({
      required: ['access_key_id', 'secret_access_key'],
      names: ['access_key_id', 'secret_access_key', 'session_token', 'region'],
    });
    expect(chooseFields(hosted, 1)).toEqual({ required: ['api_key'], names: ['api_key', 'region'] });
  });

  it('are the only fields in the request body', () => {
    const fields = { api_key: 'sk-one', access_key_id: 'AKIA1', region: 'eu-west-1' };
    const { names } = chooseFields(hosted, 1);
    expect(renderConnectBody('hosted', fields, names)).toEqual({
      provider: 'hosted',
      api_key: 'sk-one',
      region: 'eu-west-1',
    });
  });
});

describe('the request body that connects a provider', () => {
  it('contains the filled-in fields without surrounding white space', () => {
    const fields = { api_key: ' sk-one\n', base_url: '', additional_api_keys: 'sk-two\n\nsk-three ' };
    expect(renderConnectBody('openai', fields, ['api_key', 'base_url', 'additional_api_keys'])).toEqual({
      provider: 'openai',
      api_key: 'sk-one',
      additional_api_keys: ['sk-two', 'sk-three'],
    });
  });

  it('contains only the accepted fields of a key file, and a file that is not JSON is rejected', () => {
    const file = {
      type: 'service_account',
      private_key_id: 'id',
      private_key: 'key',
      client_email: 'a@b.test',
      client_id: '1',
    };
    expect(renderConnectBody('vertex', { service_account: JSON.stringify(file) }, shown)).toEqual({
      provider: 'vertex',
      service_account: {
        type: 'service_account',
        private_key_id: 'id',
        private_key: 'key',
        client_email: 'a@b.test',
      },
    });
    expect(() => renderConnectBody('vertex', { service_account: 'not json' }, shown)).toThrow(/not JSON/);
  });
});
