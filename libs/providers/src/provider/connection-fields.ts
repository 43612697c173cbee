import { GatewayError, invalidField } from '@gateway/errors';
import type { ServiceAccount } from '../credentials/service-account.ts';

/** The fields that a caller can send to connect a provider, spelled as in the account API. */
export const connectionFields = [
  'api_key',
  'base_url',
  'region',
  'project',
  'api_version',
  'access_key_id',
  'secret_access_key',
  'session_token',
  'service_account',
] as const;

export type ConnectionField = (typeof connectionFields)[number];
export type ConnectionFields = {
  readonly [Field in Exclude<ConnectionField, 'service_account'>]?: string | undefined;
} & {
  /** A service account key file, as downloaded from Google. */
  readonly service_account?: (ServiceAccount & { readonly project_id?: string | undefined }) | undefined;
};

/** The stored data of a provider connection. */
export interface SavedConnection {
  /**
   * The credential as one string, even if the credential has several parts. The string is empty for a server
   * that needs no credential.
   */
  readonly credential: string;
  /** The base URL. Null means the provider's default address. */
  readonly baseUrl: string | null;
}

/** The fields of one kind of credential. */
export interface FieldGroup {
  readonly required: readonly ConnectionField[];
  readonly optional: readonly ConnectionField[];
}

/** The fields used to connect a provider. */
export interface ConnectionShape extends FieldGroup {
  /**
   * The fields of each kind of credential, if the provider accepts several kinds. A connection needs all required
   * fields of one group. `optional` also lists the fields of all groups.
   */
  readonly oneOf?: readonly FieldGroup[];
  /**
   * Builds the stored connection from fields that match `required` and `optional`. If `resolve` is absent,
   * the API key and the base URL are stored unchanged.
   * @throws GatewayError `missing_field` or `invalid_field`
   */
  readonly resolve?: (fields: ConnectionFields) => SavedConnection;
}

/** By default, an API key is required, and a base URL is optional. */
export const keyAlone: ConnectionShape = { required: ['api_key'], optional: ['base_url'] };
/** For self-hosted servers, both the API key and the base URL are optional. */
export const ownServer: ConnectionShape = { required: [], optional: ['api_key', 'base_url'] };

/** Creates an `invalidField` error for a connection field. */
export function refuseField(
  param: ConnectionField | 'service_account.private_key',
  rule: string,
): GatewayError {
  return invalidField(param, rule);
}

export function missField(param: ConnectionField, provider: string): GatewayError {
  return new GatewayError('missing_field', {
    param,
    message: `The field "${param}" is required to connect ${provider}.`,
  });
}
