import type { ByteEdit, ChatMessage, ChatTool, RequestOutline } from '@gateway/interchange';
import type { EditedBytes } from '../json/json-edits.ts';
import type { JsonTape } from '../json/json-tape.ts';

/** The changes to a request that is forwarded in the client's format. */
export interface RequestEdit {
  /** The client's request body, to which `tape` and `outline` refer. */
  readonly bytes: Uint8Array;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /**
   * The provider's model name, without a provider prefix. By default, the request keeps the client's model
   * name.
   */
  readonly model?: string;
  /** Indexes of the tools to keep. By default, all tools are kept. */
  readonly keepTools?: ReadonlySet<number>;
  /** Indexes of kept tools that the provider loads lazily. Formats without deferral ignore `deferTools`. */
  readonly deferTools?: ReadonlySet<number>;
  /**
   * Deferred tools to load, in message order. `after` is the index of a user message, and `tools` are indexes
   * of tools. Formats in which messages cannot load tools ignore `loadTools`.
   */
  readonly loadTools?: readonly { readonly after: number; readonly tools: readonly number[] }[];
  /**
   * Indexes of kept tools that the model may call in addition to the tools in `addTools`. By default,
   * the model may call all tools. Formats that cannot restrict tools ignore the indexes of callable tools.
   */
  readonly allowTools?: ReadonlySet<number>;
  /**
   * Edits to tool definitions, keyed by tool index. The edits are in ascending order. Offsets are relative to
   * the definition's first byte.
   */
  readonly schemaEdits?: ReadonlyMap<number, readonly ByteEdit[]>;
  /** Replacements for message text. Each replacement covers exactly one JSON string in the body. */
  readonly contextEdits?: readonly ByteEdit[];
  /** Edits to the names, namespaces and arguments of tool calls, with offsets into the body. */
  readonly callEdits?: readonly ByteEdit[];
  /** The gateway's own tools, which are appended after the kept tools. */
  readonly addTools?: readonly ChatTool[];
  /** Messages that the gateway appends after the client's last message. */
  readonly addMessages?: readonly ChatMessage[];
}

/** A request body with the edits for a provider. The offsets of the edits refer to the client's body. */
export type EditedRequest = EditedBytes;
