/**
 * Header values as Node's HTTP server provides them. Header names are lowercase, and a repeated header is a
 * list.
 */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The request headers that contain the provider's credential. Header names are lowercase. */
export type AuthScheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'header'; readonly name: string }
  /**
   * Depending on the credential, the headers contain a bearer key or a signature of each request (AWS
   * Signature Version 4).
   */
  | { readonly kind: 'aws'; readonly service: string }
  /**
   * Depending on the credential, the header contains an access token or a token that a service account signs
   * for this audience.
   */
  | { readonly kind: 'google'; readonly audience: string }
  | { readonly kind: 'none' };
