import type { JsonObject } from '@gateway/interchange';

/** What the parts of a request tell the whole of it. */
export interface RenderContext {
  readonly lose: (field: string, reason: string) => void;
  /** Filled while messages are rendered. */
  readonly documents: JsonObject[];
}
