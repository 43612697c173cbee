import type { CacheMarker } from './cache-marker.ts';
import type { Extensions } from './extensions.ts';

/** A tool that the model may call. */
export type ChatTool =
  | {
      readonly kind: 'function';
      readonly name: string;
      readonly description?: string;
      /** The JSON Schema of the arguments. */
      readonly parameters?: unknown;
      readonly strict?: boolean;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool that takes text instead of JSON; what constrains the text is in `extensions`. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly cacheMarker?: CacheMarker;
      readonly extensions?: Extensions;
    }
  /** A tool of the provider's own. */
  | { readonly kind: 'built-in'; readonly cacheMarker?: CacheMarker; readonly extensions: Extensions };
