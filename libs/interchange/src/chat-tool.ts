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
      readonly extensions?: Extensions;
    }
  /** A tool that takes text instead of JSON; what constrains the text is in `extensions`. */
  | {
      readonly kind: 'custom';
      readonly name: string;
      readonly description?: string;
      readonly extensions?: Extensions;
    }
  /** A tool of the provider's own. */
  | { readonly kind: 'built-in'; readonly extensions: Extensions };
