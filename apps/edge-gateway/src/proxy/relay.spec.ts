import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findProvider } from '@gateway/providers';
import { startRequestTrace } from '@gateway/observability';
import type { RelayOutcome } from '../pipeline/exchange/answer.ts';
import { createExchange } from '../pipeline/exchange/exchange.ts';
import { ToolPermission } from '../tool-lists/tool-permission.ts';
import { AnswerBody } from '../upstream/answer-body.ts';
import { relayBytes } from './relay.ts';

const none = (): undefined => undefined;
const usage = { input_tokens: 11, output_tokens: 2 };
const event = (type: string, fields: object = {}) => `data: ${JSON.stringify({ type, ...fields })}\n\n`;
const delta = event('response.output_text.delta', { delta: 'Hello' });
const completed = event('response.completed', { response: { output: [], usage } });
const permission = new ToolPermission({ allowedTools: null, deniedTools: ['crm'] });

interface Relayed {
  readonly outcome: RelayOutcome;
  /** The bytes that the client received, decoded as text. */
  readonly text: string;
  readonly isWhole: boolean;
  /** Number of times that the end of the response was reported. */
  readonly ends: number;
}

/**
 * Relays a stream of the Responses API. The provider's connection breaks after the client has received every
 * byte.
 */
async function relayBroken(sent: string, checked: ToolPermission | null): Promise<Relayed> {
  const body = new AnswerBody({ pause: none, resume: none, abort: none });
  let ends = 0;
  let relayed: Promise<RelayOutcome> | undefined;
  const server = createServer((request, response) => {
    const exchange = createExchange({
      ...{ requestId: 'r', endpoint: '/v1/responses', format: 'responses', route: undefined },
      ...{ request, response, trace: startRequestTrace() },
    });
    const target = { provider: findProvider('openai')!, model: 'm', route: { path: '/responses' } };
    const headers = { 'content-type': 'text/event-stream' };
    const answer = { status: 200, headers, body, secrets: [], begun: none, ended: () => (ends += 1) };
    const rules = { isMapped: false, permission: checked };
    relayed = relayBytes(answer, target as never, rules, exchange);
    body.push(Buffer.from(sent));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const got = await new Promise<Pick<Relayed, 'text' | 'isWhole'>>((resolve) => {
    const client = httpRequest({ port, host: '127.0.0.1', method: 'POST' }, (response) => {
      let text = '';
      response
        .on('data', (chunk: Buffer) => {
          text += chunk.toString();
          body.breakOff(new Error('socket hang up'));
        })
        .on('error', none)
        .once('close', () => resolve({ text, isWhole: response.complete }));
    });
    client.on('error', none).end();
  });
  server.close();
  return { ...got, outcome: await relayed!, ends };
}

describe.each([
  ['', null],
  [' for a key with tool lists', permission],
])('a Responses stream%s whose connection breaks', (_, checked) => {
  it('after the last event is complete, and its tokens are metered', async () => {
    const { outcome, text, isWhole, ends } = await relayBroken(delta + completed, checked);
    expect({ text, isWhole }).toEqual({ text: delta + completed, isWhole: true });
    expect(outcome).toMatchObject({ status: 'ok', errorCode: null });
    expect(outcome.summary?.usage).toEqual({ inputTokens: 11, outputTokens: 2 });
    expect(ends).toBeGreaterThan(0);
  });

  it('inside the last event is reset', async () => {
    const { outcome, isWhole, ends } = await relayBroken(delta + completed.slice(0, -9), checked);
    expect({ isWhole, ends }).toEqual({ isWhole: false, ends: 0 });
    expect(outcome).toMatchObject({ status: 'truncated', errorCode: 'upstream_unreachable' });
  });

  it('before the last event is reset, and the tokens reported so far are metered', async () => {
    const progress = event('response.in_progress', { response: { usage } });
    const { outcome, isWhole } = await relayBroken(progress + delta, checked);
    expect(isWhole).toBe(false);
    expect(outcome.status).toBe('truncated');
    expect(outcome.summary?.usage).toEqual({ inputTokens: 11, outputTokens: 2 });
  });
});
