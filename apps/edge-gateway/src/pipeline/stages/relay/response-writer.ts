import type { StreamEvent } from '@gateway/interchange';
import type {
  AnswerDefaults,
  ClientWireFormat,
  StreamRenderOptions,
  WireFormat,
} from '@gateway/wire-formats';
import {
  editedLength,
  eventStreamBytesMax,
  formatNamed,
  mapEvents,
  providerFormatNamed,
  responsesEventBytesMax,
  restoreCustomCalls,
  restoreToolNames,
} from '@gateway/wire-formats';
import type { Exchange } from '../../exchange/exchange.ts';
import type { RecoveryRounds } from '../../recovery/recovery-rounds.ts';
import type { Target } from '../../../request/request.ts';
import { charactersPerToken } from '../../../request/token-estimates.ts';
import { readNeeds } from '../../../routing/read-needs.ts';
import type { StreamWriter } from './pass-until-withheld.ts';
import { passUntilWithheld } from './pass-until-withheld.ts';
import type { FrameGate } from './frame-gate.ts';
import { BinaryFrameGate, SseFrameGate, splitBinaryFrames, splitSseFrames } from './frame-gate.ts';
import { DeniedCalls } from '../../../tool-lists/denied-calls.ts';

/** Writes a provider's response in the client's format. */
export interface ResponseWriter {
  readonly client: ClientWireFormat;
  readonly provider: WireFormat;
  /** Whether the provider's bytes are forwarded unchanged. */
  readonly isSameFormat: boolean;
  /** Default values for fields that the client's format requires but a provider's response may lack. */
  readonly defaults: AnswerDefaults;
  /** The recovery rounds of the response. Null if the request has no recovery. */
  readonly rounds: RecoveryRounds | null;
  /** Removes calls to denied tools. Null for an API key without tool lists. */
  readonly calls: DeniedCalls | null;
  /** Opens a writer for a parsed stream. Each response has its own stream writer. */
  openStreamWriter(): StreamWriter;
  /** Renders a complete response as the stream that the client expects. */
  renderStream(events: readonly StreamEvent[]): readonly Uint8Array[];
}

/**
 * Maximum length of a buffered frame in bytes. A server tool can send a whole document in a single event. The parser
 * of the Responses API accepts the longest events, so its limit is used, plus 64 KiB for the other fields. All other
 * parsers have lower limits.
 */
const frameBytesMax = responsesEventBytesMax + 64 * 1024;

type Judges = Pick<ResponseWriter, 'rounds' | 'calls'>;
const unjudged: Judges = { rounds: null, calls: null };

export function openResponseWriter(
  { lane, model }: Target,
  exchange: Exchange,
  rounds: RecoveryRounds | null,
): ResponseWriter {
  const client = formatNamed(exchange.format);
  const spoken = providerFormatNamed(lane.format);
  const isSameFormat = lane.kind === 'same-format';
  const provider = isSameFormat ? spoken : withReasoning(withClientTools(spoken, exchange), exchange);
  const createdAt = Math.floor(exchange.acceptedAt.getTime() / 1000);
  const defaults = { id: exchange.requestId, model, createdAt };
  const { toolGuard, attempts, requestId } = exchange;
  const calls = toolGuard === undefined ? null : new DeniedCalls(toolGuard.permission);
  const render = (through: Judges, lastFrame?: Uint8Array): StreamWriter => {
    const requested = isSameFormat ? toolGuard?.streamsUsage : undefined;
    const includesUsage = rounds?.streamsUsage ?? requested ?? attempts.current?.streamsUsage ?? false;
    const estimateInputTokens = (): number => estimateInput(exchange);
    const options = { ...defaults, includesUsage, estimateInputTokens, lastFrame };
    return renderEvents(client, requestId, options, through);
  };
  return {
    client,
    provider,
    isSameFormat,
    defaults,
    rounds,
    calls,
    openStreamWriter: () => {
      // In the Responses API, events show calls to the provider's own tools before the gateway can check these calls.
      const isRendered = rounds !== null || exchange.format === 'responses';
      if (!isSameFormat || (calls !== null && isRendered)) return render({ rounds, calls });
      if (calls !== null) return passChecked(client, calls, requestId, render(unjudged));
      return rounds === null
        ? passFrames(client)
        : passWithRecovery(client, rounds, requestId, (lastFrame) => render(unjudged, lastFrame));
    },
    renderStream: (events) => render(unjudged).write(Buffer.alloc(0), events),
  };
}

/**
 * Estimates the input tokens of the planned request from its length and the account's ratio. Each file counts
 * as one image or one page.
 */
function estimateInput({ prompt, bytesPerToken = charactersPerToken }: Exchange): number {
  if (prompt === undefined) return 0;
  const { request, edits } = prompt;
  const saved = -editedLength(0, edits) / bytesPerToken;
  return Math.max(0, Math.round(readNeeds(request, bytesPerToken).inputTokens - saved));
}

type ProviderSide = ReturnType<typeof providerFormatNamed>;

/** Restores the client's custom tools, and the tool names that the provider would have rejected. */
function withClientTools(spoken: ProviderSide, { attempts }: Exchange): ProviderSide {
  const named = restoreToolNames(spoken.provider, () => attempts.current?.toolNames ?? null);
  return { ...spoken, provider: restoreCustomCalls(named, () => attempts.current?.customTools ?? null) };
}

/** Stores the encrypted reasoning of the response if the client's format cannot carry the reasoning. */
function withReasoning(spoken: ProviderSide, { attempts }: Exchange): ProviderSide {
  const open = () => {
    const recorder = attempts.current?.reasoning ?? null;
    return (events: StreamEvent[]): StreamEvent[] => {
      if (recorder !== null) for (const event of events) recorder.note(event);
      return events;
    };
  };
  return { ...spoken, provider: mapEvents(spoken.provider, open) };
}

/** Forwards complete frames, byte for byte. */
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
  openWriter: (lastFrame: Uint8Array | undefined) => StreamWriter,
): StreamWriter {
  return passUntilWithheld({
    rounds,
    openGate: () => openGate(format),
    split: splitterOf(format),
    fillIds: (events) => fillCallIds(events, requestId, rounds.count),
    openRenderer: (lastFrame) => {
      const renderer = openWriter(lastFrame);
      return (events) => renderer.write(Buffer.alloc(0), events);
    },
  });
}

function passChecked(
  format: ClientWireFormat,
  calls: DeniedCalls,
  requestId: string,
  renderer: StreamWriter,
): StreamWriter {
  return passUntilCall({
    calls,
    gate: openGate(format),
    split: splitterOf(format),
    fillIds: (events) => fillCallIds(events, requestId),
    render: (events) => renderer.write(Buffer.alloc(0), events),
  });
}

function splitterOf({ client }: ClientWireFormat): (bytes: Buffer) => Buffer[] {
  return client.framing === 'event-stream' ? splitBinaryFrames : splitSseFrames;
}

/** Renders events in the client's format. */
function renderEvents(
  format: ClientWireFormat,
  requestId: string,
  options: StreamRenderOptions,
  { rounds, calls }: Judges,
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
      return render(showEvents(withIds, rounds, calls));
    },
    rest: () => (rounds === null ? [] : render(judge(rounds.rest(), calls))),
  };
}

/**
 * Applies the recovery rounds and the API key's tool lists to stream events. Returns the events that the client receives.
 */
export function showEvents(
  events: readonly StreamEvent[],
  rounds: RecoveryRounds | null,
  calls: DeniedCalls | null,
): readonly StreamEvent[] {
  if (rounds === null) return judge(events, calls);
  calls?.note(events, rounds.recoveryToolName);
  return judge(rounds.push(events), calls);
}

export function judge(events: readonly StreamEvent[], calls: DeniedCalls | null): readonly StreamEvent[] {
  return calls === null ? events : calls.push(events);
}

/**
 * Assigns an id to each tool call that the provider sent without an id. The client needs the call id to match
 * results to calls, and SDKs for other formats reject an empty id. The call id contains the request id and
 * the round number, so the call id is unique within the conversation.
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

interface PassGiven {
  readonly calls: DeniedCalls;
  readonly gate: FrameGate;
  readonly split: (bytes: Buffer) => Buffer[];
  readonly fillIds: (events: readonly StreamEvent[]) => readonly StreamEvent[];
  /** Renders events in the client's format. The renderer receives every event of the response. */
  readonly render: (events: readonly StreamEvent[]) => readonly Uint8Array[];
}

/**
 * Texts that occur in the first frame of a server tool call or of a server tool result. The parser returns no event
 * for the first frame, because it creates the event when the block is complete.
 */
const marks = ['tool_', 'toolUse', 'toolResult'];

/**
 * Writes a stream in the provider's own format, for a key with tool lists. Frames are sent byte for byte until
 * the first tool call. From the first tool call on, the client receives rendered events, and therefore reads exactly
 * the calls that were checked. The writer buffers only the content block of a server tool, until the block is complete.
 */
function passUntilCall({ calls, gate, split, fillIds, render }: PassGiven): StreamWriter {
  let isRendering = false;
  return {
    split: (chunk) => split(Buffer.concat(gate.push(chunk))),
    left() {
      const left = gate.rest().filter(({ length }) => length > 0);
      return left.length === 0 ? [] : [Buffer.concat(left)];
    },
    write(frame, events) {
      const rendered = render(calls.push(fillIds(events)));
      isRendering ||= calls.hasCalls || (events.length === 0 && marks.some((mark) => frame.includes(mark)));
      if (isRendering) return rendered;
      return frame.length === 0 ? [] : [frame];
    },
    rest: () => [],
  };
}
