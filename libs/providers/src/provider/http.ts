/**
 * Header values as Node's HTTP server provides them. Header names are lowercase, and a repeated header is a
 * list.
 */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The request headers that contain the provider's credential. Header names are lowercase. */
export type AuthScheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'header'; readonly name: string }
  /** The headers contain a bearer key or a signature (AWS Signature Version 4), depending on the credential. */
  | { readonly kind: 'aws'; readonly service: string }
  /** The header contains an access token, or a token that a service account signs for the audience. */
  | { readonly kind: 'google'; readonly audience: string }
  | { readonly kind: 'none' };

/** A free GET request that fails without a valid credential. */
export interface CredentialCheck {
  /** Path under the base URL, with an optional query. */
  readonly path: string;
  /** The statuses with which the provider rejects a credential. By default, the statuses are 401 and 403. */
  readonly refusedStatuses?: readonly number[];
}
