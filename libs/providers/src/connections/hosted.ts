import { createHostedCredential, renderHostedCredential } from '../sigv4/hosted-credential.ts';
import { refuseField } from './connection-fault.ts';
import type { ConnectionFields, ConnectionShape } from './connection-fields.ts';

/** The service's own API key, or an access key that signs each call. The region is part of the credential. */
export const hostedConnection: ConnectionShape = {
  required: [],
  optional: ['api_key', 'access_key_id', 'secret_access_key', 'session_token', 'region', 'base_url'],
  resolve: (fields) => {
    refuseBoth(fields);
    return {
      credential: renderHostedCredential(createHostedCredential(fields)),
      baseUrl: fields.base_url ?? null,
    };
  },
};

/** One of the two would be stored and never used. */
function refuseBoth(fields: ConnectionFields): void {
  if (fields.api_key === undefined) return;
  for (const name of ['access_key_id', 'secret_access_key', 'session_token'] as const) {
    if (fields[name] !== undefined) throw refuseField(name, 'left out beside "api_key"');
  }
}
