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
] as const;

export type ConnectionField = (typeof connectionFields)[number];
export type ConnectionFields = { readonly [Field in ConnectionField]?: string | undefined };

/** What is kept of a connection. */
export interface SavedConnection {
  /** A secret: one text, whatever it is made of. */
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
