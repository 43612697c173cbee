/** Where the bytes of an image, a document or a sound are. */
export type MediaSource =
  | { readonly kind: 'url'; readonly url: string }
  /** `mediaType` is undefined where the format does not say it. */
  | { readonly kind: 'base64'; readonly mediaType: string | undefined; readonly data: string }
  /** The provider's own id of a file that was uploaded to it before. */
  | { readonly kind: 'file'; readonly id: string };
