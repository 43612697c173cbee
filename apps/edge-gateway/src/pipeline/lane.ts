import type { ProviderFormat } from '@gateway/interchange';

/**
 * How a request reaches its provider: `same-format` in the client's own bytes, edited in place; `translated` through the
 * interchange, rendered in a format that the provider speaks.
 */
export interface Lane {
  readonly kind: 'same-format' | 'translated';
  /** What the provider is spoken to in. */
  readonly format: ProviderFormat;
}
