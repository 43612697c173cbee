import { renderConnectBody } from './render-connect-body.ts';

describe('the request body that connects a provider', () => {
  it('contains the filled-in fields without surrounding white space', () => {
    const fields = { api_key: ' sk-one\n', base_url: '', additional_api_keys: 'sk-two\n\nsk-three ' };
    expect(renderConnectBody('openai', fields)).toEqual({
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
    expect(renderConnectBody('vertex', { service_account: JSON.stringify(file) })).toEqual({
      provider: 'vertex',
      service_account: {
        type: 'service_account',
        private_key_id: 'id',
        private_key: 'key',
        client_email: 'a@b.test',
      },
    });
    expect(() => renderConnectBody('vertex', { service_account: 'not json' })).toThrow(/not JSON/);
  });
});
