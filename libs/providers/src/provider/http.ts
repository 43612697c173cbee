/** Header values as Node's HTTP server provides them: names are lowercase, and repeated headers are lists. */
export type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers with which a request carries the provider's credential. Header names are lowercase. */
export type AuthScheme =
  | { readonly kind: 'bearer' }
  | { readonly kind: 'header'; readonly name: string }
  /** A bearer key, or a signature over each request (AWS Signature Version 4). The credential decides which. */
  | { readonly kind: 'aws'; readonly service: string }
  /** An access token, or a token that a service account signs for this audience. The credential decides which. */
  | { readonly kind: 'google'; readonly audience: string }
  | { readonly kind: 'none' };
