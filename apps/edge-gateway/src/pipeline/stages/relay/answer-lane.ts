import type { StreamEvent } from '@gateway/interchange';
import {
  formatNamed,
  providerFormatNamed,
  type AnswerDefaults,
  type ClientWireFormat,
  type WireFormat,
} from '@gateway/wire-formats';
import type { Exchange } from '../../exchange.ts';
import type { Target } from '../../target.ts';
import { BinaryFrameGate } from './binary-frame-gate.ts';
import { fillCallIds } from './fill-call-ids.ts';
import { SseFrameGate, type FrameGate } from './frame-gate.ts';

/** How an answer goes from the provider's format to the client's. */
export interface AnswerLane {
  readonly client: ClientWireFormat;
  readonly provider: WireFormat;
  /** Whether the provider's own bytes go on. */
  readonly isSameFormat: boolean;
  /** What the client's format demands of an answer and the provider's may not say. */
  readonly defaults: AnswerDefaults;
  /** Turns what was read of a stream into what goes to the client. Made for one answer. */
  openStreamWriter(): StreamWriter;
}

export interface StreamWriter {
  /** @param chunk the provider's bytes; @param events what they say. */
  write(chunk: Buffer, events: readonly StreamEvent[]): readonly Uint8Array[];
  /** What is still to go out at the end of a stream that ended in good order. */
  rest(): readonly Uint8Array[];
}

/** The longest event that is read; longer ones are not what a model says. */
const frameBytesMax = 1024 * 1024;

export function openLane({ lane, model }: Target, exchange: Exchange): AnswerLane {
  const client = formatNamed(exchange.format);
  const provider = providerFormatNamed(lane.format);
  const isSameFormat = lane.kind === 'same-format';
  const createdAt = Math.floor(exchange.acceptedAt.getTime() / 1000);
  const defaults = { id: exchange.requestId, model, createdAt };
  return {
    client,
    provider,
    isSameFormat,
    defaults,
    openStreamWriter: () =>
      isSameFormat
        ? passFrames(client)
        : renderEvents(client, exchange.requestId, { ...defaults, includesUsage: exchange.streamsUsage }),
  };
}

/** Whole frames, byte for byte. */
function passFrames(format: ClientWireFormat): StreamWriter {
  const gate: FrameGate =
    format.name === 'converse' ? new BinaryFrameGate(frameBytesMax) : new SseFrameGate(frameBytesMax);
  return { write: (chunk) => gate.push(chunk), rest: () => gate.rest() };
}

/** The same answer, said in the client's format. */
function renderEvents(
  format: ClientWireFormat,
  requestId: string,
  options: AnswerDefaults & { includesUsage: boolean },
): StreamWriter {
  const renderer = format.client.openStreamRenderer(options);
  return {
    write: (_chunk, events) =>
      fillCallIds(events, requestId).flatMap((event) => {
        const rendered = renderer.render(event);
        return rendered.length === 0 ? [] : [typeof rendered === 'string' ? Buffer.from(rendered) : rendered];
      }),
    rest: () => [],
  };
}
