import type { JsonObject } from './json-value.ts';
import type { ProviderFormat } from './request-outline.ts';

/**
 * What a format says beyond the interchange: members that we do not know, and the spelling of those we do. They are
 * re-emitted to the same format alone; to another they are a loss.
 */
export type Extensions = { readonly [Format in ProviderFormat]?: JsonObject };
