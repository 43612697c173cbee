import { renderConnectBody } from './render-connect-body.ts';

describe('what is sent to connect a provider', () => {
  it('is what was filled in, without the white space of pasting', () => {
    const fields = { api_key: ' sk-one\n', base_url: '', additional_api_keys: 'sk-two\n\nsk-three ' };
    expect(renderConnectBody('openai', fields)).toEqual({
      provider: 'openai',
      api_key: 'sk-one',
      additional_api_keys: ['sk-two', 'sk-three'],
    });
  });

  it('is of a key file what the gateway takes', () => {
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
    expect(() => renderConnectBody('vertex', { service_account: 'not json' })).toThrow(/no JSON/);
  });
});
