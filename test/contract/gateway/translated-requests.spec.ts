import type { ChatRequest } from '@gateway/interchange';
import type { Recording } from '@gateway/testing';
import {
  cohere,
  formatNamed,
  gemini,
  nameTools,
  providerFormatNamed,
  scanJson,
  type RequestRoute,
} from '@gateway/wire-formats';
import { bodyOf, checkEvery } from '../check-every.ts';
import { lossesChannel } from '../losses-channel.mjs';
import { startConnectedGateway, type ConnectedGateway } from './connected-gateway.ts';
import { expectSameRequest } from './expect-same-request.ts';
import { cannedAnswers, type TargetFormat } from './canned-answers.ts';
import { expectAccepted } from './accepted-by-target.ts';
import { findRequestLoss } from './request-losses.ts';
import { readRequest } from './request-reading.ts';
import type { ClientName } from './sdk-clients.ts';

interface Origin {
  readonly api: string;
  readonly format: ClientName;
}

interface Target {
  readonly format: TargetFormat;
  readonly provider: string;
  /** The model that replaces the recorded model. */
  readonly model?: string;
}

const origins: readonly Origin[] = [
  { api: 'responses', format: 'responses' },
  { api: 'chat_completions', format: 'chat-completions' },
  { api: 'messages', format: 'messages' },
  { api: 'converse', format: 'converse' },
  { api: 'converse_stream', format: 'converse' },
];
const targets: readonly Target[] = [
  { format: 'chat-completions', provider: 'mistral' },
  { format: 'messages', provider: 'anthropic' },
  { format: 'converse', provider: 'hosted' },
  { format: 'gemini', provider: 'google' },
  { format: 'cohere', provider: 'cohere' },
  // For a model that accepts tools only through the Responses API, the gateway uses the Responses API.
  { format: 'responses', provider: 'openai', model: 'gpt-6.2-sol' },
];

let gateway: ConnectedGateway;

beforeAll(async () => {
  gateway = await startConnectedGateway();
}, 120_000);

afterAll(() => gateway.stop(), 60_000);

interface Sent {
  readonly path: string;
  readonly body: string;
  readonly route: RequestRoute;
}

const paths: Readonly<Record<Exclude<ClientName, 'converse'>, string>> = {
  'chat-completions': '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};

/** Returns the recorded request as a client would send it to another provider, with only the model name changed. */
function addressTo({ provider, model: given }: Target, { format }: Origin, recording: Recording): Sent {
  // The gateway sends Responses API requests for non-Claude models to Bedrock unchanged.
  const isClaude = provider === 'hosted' && format === 'responses';
  const name = isClaude ? 'anthropic.some-model' : recording.model;
  const model = `${provider}/${given ?? name ?? 'some-model'}`;
  const route = { model, stream: recording.streaming };
  const text = bodyOf(recording, 'request').toString('utf8');
  if (format === 'converse') {
    const path = `/model/${encodeURIComponent(model)}/converse${recording.streaming ? '-stream' : ''}`;
    return { path, body: text, route };
  }
  const path = paths[format];
  return { path, body: JSON.stringify({ ...(JSON.parse(text) as object), model }), route };
}

function parseReceived(format: TargetFormat, body: Buffer, route: RequestRoute): ChatRequest {
  const tape = scanJson(body, { depthMax: 128 });
  if (format === 'gemini') return gemini.parseRequest(tape, route);
  return format === 'cohere'
    ? cohere.parseRequest(tape, route)
    : formatNamed(format).client.parseRequest(tape, route);
}

/**
 * The gateway truncates the `x-svc-losses` header at a fixed number of characters, so the header may end
 * anywhere.
 */
const lossesCharactersMax = 1000;

function readLosses(header: string): string[] {
  const fields = header.split(', ').filter((field) => field !== '');
  return header.length < lossesCharactersMax ? fields : fields.slice(0, -1);
}

async function translate(origin: Origin, target: Target, recording: Recording): Promise<void> {
  const { path, body, route } = addressTo(target, origin, recording);
  const tape = scanJson(Buffer.from(body), { depthMax: 128 });
  const asked = formatNamed(origin.format).client.parseRequest(tape, route);
  gateway.replay.reset();
  gateway.replay.enqueue(null, { body: cannedAnswers[target.format] });
  const answer = await fetch(gateway.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' },
    body,
  });
  const said = await answer.text();
  expect({ status: answer.status, said: answer.ok ? '' : said }).toEqual({ status: 200, said: '' });
  expect(gateway.replay.requests).toHaveLength(1);
  const { body: received, url } = gateway.replay.requests[0]!;
  const raw = JSON.parse(received.toString('utf8')) as Record<string, unknown>;
  await expectAccepted(target.format, raw, recording.streaming);
  const isStreamAddress = /stream/i.test(url);
  const heard = parseReceived(target.format, received, { model: route.model, stream: isStreamAddress });
  const losses = readLosses(answer.headers.get('x-svc-losses') ?? '');
  for (const field of losses) {
    const reason = findRequestLoss(field, target.format);
    expect({ field, reason }).toEqual({ field, reason: expect.any(String) as string });
    const place = field.replaceAll(/\d+/g, '*');
    lossesChannel.publish({ from: origin.format, to: target.format, field: `${place} (${reason})` });
  }
  // The gateway replaces tool names that are invalid in the target format. All other tool names are unchanged.
  const { request: told } = nameTools(asked, providerFormatNamed(target.format).provider.toolNamePattern);
  expectSameRequest(readRequest(heard), readRequest(told), losses, target.format);
}

/**
 * Returns true if a Responses API request contains the complete conversation. The gateway rejects a request
 * without input, a request that continues a stored response, and a tool result without its call. For
 * Converse, the gateway also defines the tools that only earlier calls mention.
 */
function isWhole(recording: Recording, target: Target): boolean {
  const body = JSON.parse(bodyOf(recording, 'request').toString('utf8')) as Record<string, unknown>;
  const items = (Array.isArray(body.input) ? body.input : []) as Record<string, unknown>[];
  const calls = items.filter(({ type }) => /^(?:function|custom_tool)_call$/.test(String(type)));
  const called = new Set(calls.map(({ call_id: id }) => id));
  const results = items.filter(({ type }) => /^(?:function|custom_tool)_call_output$/.test(String(type)));
  const isStored = [body.previous_response_id, body.conversation, body.background].some(Boolean);
  const isDefined = target.format !== 'converse' || calls.length === 0 || hasTools(recording);
  const isAnswered = results.every(({ call_id: id }) => called.has(id));
  return body.input !== undefined && body.input !== null && !isStored && isAnswered && isDefined;
}

/** Returns true if the request defines tools in the field that current APIs use. */
function hasTools(recording: Recording): boolean {
  const body = JSON.parse(bodyOf(recording, 'request').toString('utf8')) as Record<string, unknown>;
  const tools = body.tools ?? (body.toolConfig as Record<string, unknown> | undefined)?.tools;
  return Array.isArray(tools) && tools.length > 0;
}

/**
 * The Responses API has the most recordings per pair of formats, so `npm test` checks only a third of the
 * recordings.
 */
const responsesStep = 3;

for (const target of targets) {
  for (const origin of origins.filter(({ format }) => format !== target.format)) {
    checkEvery(
      `request translated to ${target.format}`,
      origin.api,
      (recording) =>
        recording.request_file !== null &&
        recording.status === 200 &&
        (target.model === undefined || hasTools(recording)) &&
        (origin.format !== 'responses' || isWhole(recording, target)),
      (recording) => translate(origin, target, recording),
      origin.format === 'responses' || target.format === 'responses' ? responsesStep : 1,
    );
  }
}
