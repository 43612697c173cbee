import { foldAnswer, type ClientFormat, type FinishReason, type StreamEvent } from '@gateway/interchange';
import type { ReplayControls, ReplayProvider } from '@gateway/testing';
import { formatNamed } from '@gateway/wire-formats';

/** The content of one model response. */
export interface ModelTurn {
  readonly text?: string;
  readonly calls?: readonly { id: string; name: string; arguments: unknown }[];
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

const rawReasons: { readonly [Format in ClientFormat]: { calls: string; stop: string } } = {
  'chat-completions': { calls: 'tool_calls', stop: 'stop' },
  messages: { calls: 'tool_use', stop: 'end_turn' },
  converse: { calls: 'tool_use', stop: 'end_turn' },
};

/** A provider that returns the given turns in order, one per request, in the request's format. */
export function scriptModel(provider: ReplayProvider, turns: readonly (ModelTurn | ReplayControls)[]): void {
  const left = [...turns];
  provider.setControls(({ url, body }) => {
    const turn = left.shift();
    if (turn === undefined) return { status: 500, body: { error: { message: 'nothing is left to say' } } };
    return 'status' in turn || 'hang' in turn ? turn : answerOf(turn as ModelTurn, url, body);
  });
}

function answerOf(turn: ModelTurn, url: string, body: Buffer): ReplayControls {
  const format = formatOf(url);
  const isStream =
    url.includes('converse-stream') ||
    (JSON.parse(body.toString('utf8')) as { stream?: boolean }).stream === true;
  return renderTurn(format, turn, isStream);
}

function formatOf(url: string): ClientFormat {
  if (url.includes('/messages')) return 'messages';
  return url.includes('/converse') ? 'converse' : 'chat-completions';
}

const defaults = { id: 'answer-1', model: 'scripted', createdAt: 1_795_000_000 };

export function renderTurn(format: ClientFormat, turn: ModelTurn, isStream: boolean): ReplayControls {
  const { client } = formatNamed(format);
  const events = tellTurn(format, turn);
  if (!isStream) {
    const body = client.renderResponse(foldAnswer(events), { ...defaults, latencyMs: 1 });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
  const renderer = client.openStreamRenderer({ ...defaults, includesUsage: true });
  const parts = events.map((event) => Buffer.from(renderer.render(event)));
  return { status: 200, headers: { 'content-type': client.streamContentType }, body: Buffer.concat(parts) };
}

function tellTurn(format: ClientFormat, turn: ModelTurn): StreamEvent[] {
  const { text, calls = [], inputTokens = 100, outputTokens = 10 } = turn;
  const usage: StreamEvent = { type: 'usage', usage: { inputTokens, outputTokens } };
  const reason: FinishReason = calls.length > 0 ? 'tool-calls' : 'stop';
  const rawReason = rawReasons[format][calls.length > 0 ? 'calls' : 'stop'];
  const spoken = text === undefined ? [] : tellText(text);
  const first = text === undefined ? 0 : 1;
  return [
    { type: 'message-start', format, id: 'answer-1', model: 'scripted', createdAt: defaults.createdAt },
    ...(format === 'messages' ? [usage] : []),
    ...spoken,
    ...calls.flatMap((call, index) => tellCall(call, first + index)),
    { type: 'finish', choice: 0, reason, rawReason },
    usage,
    { type: 'message-end' },
  ];
}

function tellText(text: string): StreamEvent[] {
  const place = { choice: 0, block: 0 };
  return [
    { type: 'text-start', ...place },
    ...text.split(/(?<= )/).map((word): StreamEvent => ({ type: 'text-delta', ...place, text: word })),
    { type: 'text-end', ...place },
  ];
}

/** Splits arguments into pieces, as models stream them. */
function tellCall(call: { id: string; name: string; arguments: unknown }, block: number): StreamEvent[] {
  const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
  const place = { choice: 0, block };
  const half = Math.ceil(written.length / 2);
  return [
    { type: 'tool-call-start', ...place, id: call.id, name: call.name, kind: 'function' },
    ...[written.slice(0, half), written.slice(half)].map((argumentsText): StreamEvent => ({
      type: 'tool-call-delta',
      ...place,
      argumentsText,
    })),
    { type: 'tool-call-end', ...place },
  ];
}
