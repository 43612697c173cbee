import { GatewayError } from '@gateway/errors';
import type { Provider } from '../provider/provider.ts';
import { checkCharacters, checkCredential } from './check-credential.ts';
import { checkIssuer } from './check-issuer.ts';
import {
  missField,
  refuseField,
  connectionFields,
  keyAlone,
  type ConnectionFields,
  type ConnectionShape,
  type FieldGroup,
  type SavedConnection,
} from '../provider/connection-fields.ts';

/** The fields used to connect a provider. */
export function connectionShapeOf({ connection }: Provider): ConnectionShape {
  return connection ?? keyAlone;
}

/** The fields with redacted values. A service account is validated when its key is parsed. */
const secretFields = ['api_key', 'access_key_id', 'secret_access_key', 'session_token'] as const;

/** Characters allowed in a header value. */
const visible = /^[\x21-\x7e]{1,8192}$/;

/**
 * Validates the fields that a caller sent to connect a provider, and builds the stored connection. The
 * connection contains the credential, and the only address to which the credential may be sent.
 * @throws GatewayError `missing_field` if a required field is missing.
 * @throws GatewayError `invalid_field` if the provider does not accept a field or the credential looks
 * like an ordinary word or a log line.
 */
export function resolveConnection(provider: Provider, fields: ConnectionFields): SavedConnection {
  const shape = connectionShapeOf(provider);
  for (const name of connectionFields) {
    const value = fields[name];
    const isAccepted = shape.required.includes(name) || shape.optional.includes(name);
    if (value !== undefined && !isAccepted) throw refuseUnknown(name, provider);
    if (typeof value === 'string' && isSecret(name)) checkCharacters(name, value);
    if (typeof value === 'string' && !visible.test(value))
      throw refuseField(name, 'visible ASCII characters, and no spaces');
    if (value === undefined && shape.required.includes(name)) throw missField(name, provider.name);
  }
  if (shape.oneOf !== undefined) requireGroup(shape.oneOf, fields, provider);
  if (fields.base_url !== undefined) checkAddress(fields.base_url);
  const saved = shape.resolve?.(fields) ?? {
    credential: fields.api_key ?? '',
    baseUrl: fields.base_url ?? null,
  };
  for (const name of secretFields) {
    const value = fields[name];
    if (value !== undefined) checkCredential(name, value);
  }
  // At a custom address, a proxy may accept keys of any kind.
  if (fields.api_key !== undefined && fields.base_url === undefined)
    checkIssuer('api_key', provider.name, fields.api_key);
  return saved;
}

const isSecret = (name: string): boolean => (secretFields as readonly string[]).includes(name);

/**
 * Checks that the fields of one kind of credential are complete. The error names a missing field of the group
 * with the most given fields, and lists the fields that belong together.
 */
function requireGroup(groups: readonly FieldGroup[], fields: ConnectionFields, { name }: Provider): void {
  const missing = groups.map(({ required }) => required.filter((field) => fields[field] === undefined));
  if (missing.some(({ length }) => length === 0)) return;
  const started = (at: number) => (groups[at]?.required.length ?? 0) - (missing[at]?.length ?? 0);
  const nearest = groups.map((_, at) => at).reduce((best, at) => (started(at) > started(best) ? at : best));
  const choices = groups.map(({ required }) => required.map((field) => `"${field}"`).join(' together with '));
  const message = `The provider ${name} needs ${choices.join(', or ')}.`;
  const [param = ''] = missing[nearest] ?? [];
  throw new GatewayError('missing_field', { param, message });
}

/** The provider's address is visible in lists of connections, so the address must not contain secrets. */
function checkAddress(address: string): void {
  const { username, password, hash } = new URL(address);
  if (username !== '' || password !== '')
    throw refuseField('base_url', 'a URL without a user name and a password');
  if (hash !== '') throw refuseField('base_url', 'a URL without a fragment');
}

function refuseUnknown(param: string, { name }: Provider): GatewayError {
  const message = `The provider ${name} does not accept the field "${param}".`;
  return new GatewayError('invalid_field', { param, message });
}
