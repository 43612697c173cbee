import type { ByteEdit, RequestOutline } from '@gateway/interchange';
import type { JsonTape } from './json/json-tape.ts';

/** What to change in a request that goes on in its own format. */
export interface RequestEdit {
  /** The client's body, as `tape` and `outline` describe it. */
  readonly bytes: Uint8Array;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** The model as the provider knows it, without a provider prefix. Absent: as it is. */
  readonly model?: string;
  /** Positions of the tools that stay. Absent: all. */
  readonly keepTools?: ReadonlySet<number>;
  /** By position of the tool: edits of its definition, relative to the definition's first byte, ascending. */
  readonly schemaEdits?: ReadonlyMap<number, readonly ByteEdit[]>;
  /** Texts of messages that go out in other words: whole JSON strings, in the body's bytes. */
  readonly contextEdits?: readonly ByteEdit[];
}

export interface EditedRequest {
  /** Ascending, relative to the client's body. */
  readonly edits: readonly ByteEdit[];
  readonly bytes: Uint8Array;
}
