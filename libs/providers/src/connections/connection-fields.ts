import type { ServiceAccount } from '../google/service-account.ts';

/** What a caller may give to connect a provider, in the spelling of the account endpoint. */
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
  /** A key file, as Google gives it out. */
  readonly service_account?: (ServiceAccount & { readonly project_id?: string | undefined }) | undefined;
};

/** What is kept of a connection. */
export interface SavedConnection {
  /** A secret: one text, whatever it is made of. Empty for a server that asks for none. */
  readonly credential: string;
  /** Null means the provider's own address. */
  readonly baseUrl: string | null;
}

/** What it takes to connect a provider. */
export interface ConnectionShape {
  readonly required: readonly ConnectionField[];
  readonly optional: readonly ConnectionField[];
  /**
   * Makes of the fields, which are there and of that shape, what is kept. Absent: the key, and the address given.
   *
   * @throws GatewayError `missing_field`, `invalid_field`
   */
  readonly resolve?: (fields: ConnectionFields) => SavedConnection;
}

/** Of a provider that says nothing else. */
export const keyAlone: ConnectionShape = { required: ['api_key'], optional: ['base_url'] };
/** Of a server that one runs oneself: with a key or without, at its usual address or another. */
export const ownServer: ConnectionShape = { required: [], optional: ['api_key', 'base_url'] };
