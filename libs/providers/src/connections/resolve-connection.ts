import { GatewayError } from '@gateway/errors';
import type { Provider } from '../provider.ts';
import { missField, refuseField } from './connection-fault.ts';
import {
  connectionFields,
  keyAlone,
  type ConnectionFields,
  type ConnectionShape,
  type SavedConnection,
} from './connection-fields.ts';

/** What it takes to connect a provider. */
export function connectionShapeOf({ connection }: Provider): ConnectionShape {
  return connection ?? keyAlone;
}

/** What a header can carry. */
const visible = /^[\x21-\x7e]{1,8192}$/;

/**
 * Judges what a caller gives to connect a provider, and makes of it what is kept: a credential, and the address that it
 * may be sent to.
 *
 * @throws GatewayError `missing_field`, or `invalid_field` for a field that the provider does not take or cannot use.
 */
export function resolveConnection(provider: Provider, fields: ConnectionFields): SavedConnection {
  const shape = connectionShapeOf(provider);
  for (const name of connectionFields) {
    const value = fields[name];
    const isTaken = shape.required.includes(name) || shape.optional.includes(name);
    if (value !== undefined && !isTaken) throw refuseUntaken(name, provider);
    if (typeof value === 'string' && !visible.test(value))
      throw refuseField(name, 'visible ASCII characters, and no spaces');
    if (value === undefined && shape.required.includes(name)) throw missField(name, provider.name);
  }
  if (fields.base_url !== undefined) checkAddress(fields.base_url);
  return shape.resolve?.(fields) ?? { credential: fields.api_key ?? '', baseUrl: fields.base_url ?? null };
}

/** The address is shown to who lists connections: it is no place for secrets. */
function checkAddress(address: string): void {
  const { username, password, hash } = new URL(address);
  if (username !== '' || password !== '') throw refuseField('base_url', 'without a user and a password');
  if (hash !== '') throw refuseField('base_url', 'without a fragment');
}

function refuseUntaken(param: string, { name }: Provider): GatewayError {
  return new GatewayError('invalid_field', { param, message: `The provider ${name} takes no "${param}".` });
}
