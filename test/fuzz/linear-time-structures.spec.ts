import { GatewayError } from '@gateway/errors';
import { formatNamed, providerFormatNamed, scanJson } from '@gateway/wire-formats';
import { Conversation } from '../../apps/edge-gateway/src/request/conversation.ts';
import { readOwnCredential } from '../../apps/edge-gateway/src/request/request-facts.ts';
import { readNeeds } from '../../apps/edge-gateway/src/routing/read-needs.ts';
import { restrictBody } from '../../apps/edge-gateway/src/tool-lists/restrict-body.ts';
import { ToolPermission } from '../../apps/edge-gateway/src/tool-lists/tool-permission.ts';
import { conversationContext } from '../../apps/edge-gateway/src/pipeline/stages/plan/conversation/router-question.ts';
import { listCandidates } from '../../apps/edge-gateway/src/pipeline/stages/plan/context/context-subject.ts';
import { openConversation } from '../../apps/edge-gateway/src/pipeline/stages/plan/context/compression-request.ts';
import { scanBody } from '../../apps/edge-gateway/src/pipeline/stages/parse/parse.ts';
import { cpuMsMax, hostileChars, leastCpuMs } from './cpu-time.ts';
import { hostileStructures } from './hostile/structures.ts';

const providers = ['chat-completions', 'messages', 'converse', 'gemini', 'cohere'] as const;
const chat = formatNamed('chat-completions');
const permission = new ToolPermission({ allowedTools: null, deniedTools: ['denied'] });
const settings = { mode: 'balanced', recoverable: true, version: 1 } as const;

/**
 * Runs the function and ignores rejections. Rejecting an input is a valid outcome. The test measures the time
 * until the rejection.
 */
function ignoringRefusals(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
}

/** Lists the steps of the gateway's request handling. Each step blocks the event loop until the step ends. */
function listSteps(bytes: Buffer): Record<string, () => unknown> {
  const tape = scanBody(bytes);
  const outline = chat.client.outlineRequest(tape, undefined);
  const half = new Set(outline.tools.filter(({ index }) => index % 2 === 0).map(({ index }) => index));
  const parts = chat.client.listContext(tape, 0);
  const context = { accountId: 'a', tape, outline, parts };
  return {
    scanned: () => scanBody(bytes),
    outlined: () => chat.client.outlineRequest(tape, undefined),
    'searched for credentials': () => readOwnCredential(tape),
    restricted: () => ignoringRefusals(() => restrictBody(tape, permission)),
    routed: () => readNeeds({ tape, outline } as never, 4),
    identified: () => new Conversation(outline, bytes, null).here,
    'described to the router': () => [
      conversationContext(outline.messages),
      chat.client.toolDefinitions(tape, outline.tools),
    ],
    'listed for compression': () => listCandidates(outline, chat.client.listContext(tape, 0)),
    'prepared for compression': () => openConversation(context, settings, 0),
    edited: () => chat.editRequest({ bytes, tape, outline, model: 'm', keepTools: half }),
    parsed: () => chat.client.parseRequest(tape, undefined),
  };
}

describe('hostile structures of 2 MiB take at most 200 ms of processor time in each step', () => {
  test.each(Object.keys(hostileStructures))('%s', (name) => {
    const members = hostileStructures[name]?.(hostileChars, 'mark') ?? '';
    const bytes = Buffer.from(`{"model":"openai/gpt-4o-mini",${members}}`);
    const slow = Object.entries(listSteps(bytes)).flatMap(([step, run]) => {
      const ms = leastCpuMs(run, cpuMsMax);
      return ms <= cpuMsMax ? [] : [`${step}: ${ms.toFixed(0)} ms`];
    });
    expect(slow).toEqual([]);
  });
});

/** Requests that contain many items of one kind. Translations may merge many items of the same kind. */
const growing: Readonly<Record<string, (count: number) => object>> = {
  'messages of one role': (count) => ({
    messages: Array.from({ length: count }, () => ({ role: 'user', content: 'a' })),
  }),
  'system messages': (count) => ({
    messages: Array.from({ length: count }, () => ({ role: 'system', content: 'a' })),
  }),
  'alternating system and user messages': (count) => ({
    messages: Array.from({ length: count }, (_, at) => ({ role: at % 2 ? 'system' : 'user', content: 'a' })),
  }),
  'tool results of one turn': (count) => ({
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: Array.from({ length: count }, (_, at) => ({
          ...{ id: `c${at}`, type: 'function' },
          function: { name: 'f', arguments: '{}' },
        })),
      },
      ...Array.from({ length: count }, (_, at) => ({ role: 'tool', tool_call_id: `c${at}`, content: 'a' })),
    ],
  }),
};

describe.each(providers)('a request rendered for %s', (format) => {
  test.each(Object.keys(growing))('rendering many %s takes linear time', (name) => {
    const measure = (count: number, wantedMs: number): number => {
      const bytes = Buffer.from(JSON.stringify({ model: 'm', ...growing[name]?.(count) }));
      const request = chat.client.parseRequest(scanJson(bytes, { depthMax: 128 }), undefined);
      const { provider } = providerFormatNamed(format);
      return leastCpuMs(() => JSON.stringify(provider.renderRequest(request, { model: 'm' }).body), wantedMs);
    };
    // With quadratic time, an input of eight times the size would take 64 times as long.
    const small = Math.max(2, measure(2_000, 0.5));
    expect(measure(16_000, 24 * small)).toBeLessThanOrEqual(24 * small);
  });
});
