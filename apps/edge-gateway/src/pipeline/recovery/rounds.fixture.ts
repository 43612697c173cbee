import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import type { UpstreamAnswer } from '../../upstream/upstream.port.ts';
import type { Continuation } from './prior-rounds.ts';
import { RecoveryRounds } from './recovery-rounds.ts';
import type { NextRound } from './round-requests.ts';
import { recoveryFor, requestWith } from './recovery.fixture.ts';
import type { Recovery } from './recovery.ts';

export type Call = readonly [id: string, name: string, args: unknown];

/** The events of a response with a text and tool calls. */
export function tell(
  text: string | undefined,
  calls: readonly Call[],
  tokens: readonly [number, number] = [10, 1],
): StreamEvent[] {
  const spoken: StreamEvent[] =
    text === undefined
      ? []
      : [
          { type: 'text-start', choice: 0, block: 0 },
          { type: 'text-delta', choice: 0, block: 0, text },
          { type: 'text-end', choice: 0, block: 0 },
        ];
  const first = spoken.length === 0 ? 0 : 1;
  const called = calls.flatMap(([id, name, args], index): StreamEvent[] => {
    const place = { choice: 0, block: first + index };
    return [
      { type: 'tool-call-start', ...place, id, name, kind: 'function' },
      { type: 'tool-call-delta', ...place, argumentsText: JSON.stringify(args) },
      { type: 'tool-call-end', ...place },
    ];
  });
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  const usage = { inputTokens: tokens[0], outputTokens: tokens[1] };
  return [
    { type: 'message-start', format: 'chat-completions', id: 'x' },
    ...spoken,
    ...called,
    { type: 'finish', choice: 0, reason, rawReason: reason === 'stop' ? 'stop' : 'tool_calls' },
    { type: 'usage', usage },
    { type: 'message-end' },
  ];
}

const answer = { status: 200, headers: {} } as unknown as UpstreamAnswer;
const closed = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] };
export const request = requestWith('chat-completions', [
  { name: 'here' },
  { name: 'away', parameters: closed },
  { name: 'far', parameters: closed },
]);
export const ask = (id: string, ...names: string[]): Call => [
  id,
  'svc_more_tools',
  { action: 'describe', names },
];
export const through = (id: string, name: string, args: unknown): Call => [
  id,
  'svc_more_tools',
  { action: 'call', name, arguments: args },
];

export interface RunOptions {
  readonly recovery?: Recovery;
  /** Whether the client has received any part of the response. */
  readonly isSent?: boolean;
  /** The outcomes of all requests after the first request. The default outcome is a response with status 200. */
  readonly results?: readonly (number | Error)[];
}

/**
 * Runs the recovery rounds of one response. Each entry of `rounds` contains the events of the response to one
 * request.
 */
export async function run(
  rounds: readonly StreamEvent[][],
  { recovery = recoveryFor(request, { forwarded: [0] }), isSent = true, results = [] }: RunOptions = {},
) {
  const asked: NextRound[] = [];
  const left = [...rounds];
  const outcomes = [...results];
  const hidden = new RecoveryRounds({
    recovery,
    signal: new AbortController().signal,
    hasSent: () => isSent,
    estimateUsage: (charactersOut) => ({ inputTokens: 1_000, outputTokens: charactersOut }),
    send: (next) => {
      asked.push(next);
      const outcome = outcomes.shift() ?? 200;
      if (outcome instanceof Error) return Promise.reject(outcome);
      return Promise.resolve({ ...answer, status: outcome });
    },
  });
  const shown: StreamEvent[] = [];
  let end: Continuation;
  do {
    const events = left.shift() ?? tell('nothing left', []);
    shown.push(...hidden.push(events));
    const hasFailed = events.some(({ type }) => type === 'error');
    end = (hasFailed ? await hidden.afterFailure() : await hidden.next()) ?? { kind: 'complete' };
  } while (end.kind === 'round');
  if (end.kind === 'complete') shown.push(...hidden.rest());
  const folded = foldAnswer(shown);
  const parts = folded.choices[0]?.parts ?? [];
  const calls = parts.flatMap((part) =>
    part.type === 'tool-call' ? [[part.id, part.name, part.argumentsText]] : [],
  );
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  return { hidden, asked, shown, folded, calls, text, end: end.kind };
}
