import type { ByteEdit, ByteRange, ChatMessage, ChatTool, RequestOutline } from '@gateway/interchange';
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
  /** Positions of tools whose loading is left to the provider, in a format that has it; of those that stay. */
  readonly deferTools?: ReadonlySet<number>;
  /** Positions of the only tools that may be called, beside `addTools`, in a format that can say so; of those that stay. */
  readonly allowTools?: ReadonlySet<number>;
  /** By position of the tool: edits of its definition, relative to the definition's first byte, ascending. */
  readonly schemaEdits?: ReadonlyMap<number, readonly ByteEdit[]>;
  /** Texts of messages that go out in other words: whole JSON strings, in the body's bytes. */
  readonly contextEdits?: readonly ByteEdit[];
  /** Calls that go out in other words: names and arguments, in the body's bytes. */
  readonly callEdits?: readonly ByteEdit[];
  /** Tools of the gateway's own, after those that stay. */
  readonly addTools?: readonly ChatTool[];
  /** Turns that the client does not know of, after its last one. */
  readonly addMessages?: readonly ChatMessage[];
}

/** Where a transcript's call of a function stands, in the body's bytes. */
export interface CallPlace {
  readonly id: string;
  readonly name: string;
  readonly nameRange: ByteRange;
  readonly argumentsRange: ByteRange;
  /** Whether the arguments stand there as a text that holds JSON, or as the JSON itself. */
  readonly isText: boolean;
  /** The arguments' JSON, as the client wrote it; decoded on demand. */
  argumentsText(): string;
}

export interface EditedRequest {
  /** Ascending, relative to the client's body. */
  readonly edits: readonly ByteEdit[];
  readonly bytes: Uint8Array;
}
