import type { JsonObject, StreamEvent } from '@gateway/interchange';
import type { StreamRenderOptions } from '../../common/format.ts';
import type { SseFrame } from '../../sse/sse-frames.ts';

/** What the events so far have said. Never changed in place. */
export interface StreamRenderState {
  readonly id: string;
  readonly model: string;
  readonly isOwnFormat: boolean;
  /** Whether `message_start` is out: it waits for the usage, which most providers tell with the start or at the end. */
  readonly started: boolean;
  readonly usage: JsonObject;
  /** Members of the message that came before it was told. */
  readonly startMembers: JsonObject;
  /** By the interchange's number. */
  readonly blocks: ReadonlyMap<number, ShownBlock>;
  /** The block that is being told: Anthropic ends one before it starts the next. */
  readonly open: number | undefined;
  readonly nextIndex: number;
  readonly reason: string | null;
  /** Members of the end of the message, in its `delta` and beside it. */
  readonly endMembers: JsonObject;
  readonly besideEnd: JsonObject;
}

export interface ShownBlock {
  /** Anthropic's number. Undefined: its start is not out yet. */
  readonly index: number | undefined;
  /** The block as its start tells it. */
  readonly head: JsonObject;
}

/** The state after an event, and the frames that tell it. */
export type RenderStep = readonly [StreamRenderState, readonly SseFrame[]];
export type EventOf<Type extends StreamEvent['type']> = Extract<StreamEvent, { type: Type }>;

export function beginStreamRender({ id, model }: StreamRenderOptions): StreamRenderState {
  return {
    id,
    model,
    isOwnFormat: false,
    started: false,
    usage: {},
    startMembers: {},
    blocks: new Map(),
    open: undefined,
    nextIndex: 0,
    reason: null,
    endMembers: {},
    besideEnd: {},
  };
}
