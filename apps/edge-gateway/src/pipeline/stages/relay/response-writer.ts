import type { StreamEvent } from '@gateway/interchange';
import type { AnswerDefaults, ClientWireFormat, WireFormat } from '@gateway/wire-formats';
import {
  eventStreamBytesMax,
  formatNamed,
  providerFormatNamed,
  restoreToolNames,
} from '@gateway/wire-formats';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { Target } from '../../../request/request.ts';
import type { StreamWriter } from './pass-until-withheld.ts';
import { passUntilWithheld } from './pass-until-withheld.ts';
import type { FrameGate } from './frame-gate.ts';
import { BinaryFrameGate, SseFrameGate, splitBinaryFrames, splitSseFrames } from './frame-gate.ts';

/** Writes a provider's response in the client's format. */
export interface ResponseWriter {
  readonly client: ClientWireFormat;
  readonly provider: WireFormat;
  /** Whether the provider's own bytes pass unchanged. */
  readonly isSameFormat: boolean;
  /** Default values for fields that the client's format requires and the provider's format may lack. */
  readonly defaults: AnswerDefaults;
  /** The recovery rounds. Null without recovery. */
  readonly rounds: RecoveryRounds | null;
  /** Opens a writer for a parsed stream. Created once per response. */
  openStreamWriter(): StreamWriter;
  /** Renders a whole response as the stream that the client expects. */
  renderStream(events: readonly StreamEvent[]): readonly Uint8Array[];
}

/**
 * Max length of a buffered frame: the messages parser's limit, plus room for the fields around the data. A
 * server tool's document arrives in a single event. Parsers check their own limits first; the
 * chat-completions limit is lower.
 */
const frameBytesMax = 8 * 1024 * 1024 + 64 * 1024;

export function openResponseWriter(
  { lane, model }: Target,
  exchange: Exchange,
  rounds: RecoveryRounds | null,
): ResponseWriter {
  const client = formatNamed(exchange.format);
  const spoken = providerFormatNamed(lane.format);
  const isSameFormat = lane.kind === 'same-format';
  const provider = isSameFormat
    ? spoken
    : {
        ...spoken,
        provider: restoreToolNames(spoken.provider, () => exchange.attempts.current?.toolNames ?? null),
      };
  const createdAt = Math.floor(exchange.acceptedAt.getTime() / 1000);
  const defaults = { id: exchange.requestId, model, createdAt };
  const render = (through: RecoveryRounds | null): StreamWriter => {
    const includesUsage = rounds?.streamsUsage ?? exchange.attempts.current?.streamsUsage ?? false;
    return renderEvents(client, exchange.requestId, { ...defaults, includesUsage }, through);
  };
  return {
    client,
    provider,
    isSameFormat,
    defaults,
    rounds,
    openStreamWriter: () => {
      if (!isSameFormat) return render(rounds);
      return rounds === null
        ? passFrames(client)
        : passWithRecovery(client, rounds, exchange.requestId, render);
    },
    renderStream: (events) => render(null).write(Buffer.alloc(0), events),
  };
}

/** Passes complete frames, byte for byte. */
function passFrames(format: ClientWireFormat): StreamWriter {
  const gate = openGate(format);
  return { split: whole, left: none, write: (chunk) => gate.push(chunk), rest: () => gate.rest() };
}

function openGate({ client }: ClientWireFormat): FrameGate {
  return client.framing === 'event-stream'
    ? new BinaryFrameGate(eventStreamBytesMax)
    : new SseFrameGate(frameBytesMax);
}

const whole = (chunk: Buffer): readonly Buffer[] => [chunk];
const none = (): readonly Buffer[] => [];

function passWithRecovery(
  format: ClientWireFormat,
  rounds: RecoveryRounds,
  requestId: string,
  render: (through: null) => StreamWriter,
): StreamWriter {
  return passUntilWithheld({
    rounds,
    openGate: () => openGate(format),
    split: format.client.framing === 'event-stream' ? splitBinaryFrames : splitSseFrames,
    fillIds: (events) => fillCallIds(events, requestId, rounds.count),
    openRenderer: () => {
      const renderer = render(null);
      return (events) => renderer.write(Buffer.alloc(0), events);
    },
  });
}

/** Renders events in the client's format. */
function renderEvents(
  format: ClientWireFormat,
  requestId: string,
  options: AnswerDefaults & { includesUsage: boolean },
  rounds: RecoveryRounds | null,
): StreamWriter {
  const renderer = format.client.openStreamRenderer(options);
  const render = (events: readonly StreamEvent[]): Uint8Array[] =>
    events.flatMap((event) => {
      const rendered = renderer.render(event);
      return rendered.length === 0 ? [] : [typeof rendered === 'string' ? Buffer.from(rendered) : rendered];
    });
  return {
    split: whole,
    left: none,
    write: (_chunk, events) => {
      const withIds = fillCallIds(events, requestId, rounds?.count);
      return render(rounds === null ? withIds : rounds.push(withIds));
    },
    rest: () => (rounds === null ? [] : render(rounds.rest())),
  };
}

/**
 * Assigns an id to each call that the provider sent without one. The client needs the id to match results to
 * calls, and SDKs for other formats reject an empty id. The id contains the request id and the round number,
 * so it is unique within the conversation.
 */
export function fillCallIds(
  events: readonly StreamEvent[],
  requestId: string,
  round = 0,
): readonly StreamEvent[] {
  if (!events.some(isNameless)) return events;
  const scope = `${requestId.replaceAll('-', '')}${round === 0 ? '' : `_r${round}`}`;
  return events.map((event) =>
    isNameless(event) ? { ...event, id: `call_${scope}_${event.choice}_${event.block}` } : event,
  );
}

function isNameless(event: StreamEvent): event is Extract<StreamEvent, { type: 'tool-call-start' }> {
  return event.type === 'tool-call-start' && event.id === '';
}
