import { createHostedCredential, renderHostedCredential } from '../sigv4/hosted-credential.ts';
import type { ConnectionShape } from './connection-fields.ts';

/** The service's own API key, or an access key that signs each call. The region is part of the credential. */
export const hostedConnection: ConnectionShape = {
  required: [],
  optional: ['api_key', 'access_key_id', 'secret_access_key', 'session_token', 'region', 'base_url'],
  resolve: (fields) => ({
    credential: renderHostedCredential(createHostedCredential(fields)),
    baseUrl: fields.base_url ?? null,
  }),
};
