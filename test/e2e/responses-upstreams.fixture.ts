/** One scripted model for every upstream format, with the same request checks as the real providers. */
import { TranscriptRules, type ReplayControls, type ReplayProvider } from '@gateway/testing';
import {
  callOf,
  customCallOf,
  findViolation,
  json,
  messageOf,
  renderResponse,
  responseOf,
} from './openai-responses.fixture.ts';
import { renderAnswer } from './scripted-model.fixture.ts';

type Members = Record<string, unknown>;

/** A call to a function with arguments, or a call to a custom tool with text input. */
interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments?: object;
  readonly input?: string;
}

export interface UpstreamTurn {
  /** The model's reasoning before its response. Reasoning that the next request must contain unchanged. */
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
}

/** The scripted provider's models, by upstream format. */
export const upstreams = {
  responses: 'openai/gpt-6.2-sol',
  messages: 'anthropic/claude-sonnet-4-5',
  gemini: 'google/gemini-3.6-pro',
  converse: 'hosted/anthropic.claude-sonnet-4-5-20250929-v1:0',
  'chat-completions': 'mistral/mistral-large-latest',
} as const;

/** Each provider's path on the replay server. */
export const upstreamPaths = {
  openai: '/v1',
  anthropic: '/v1',
  google: '/v1beta',
  hosted: '',
  mistral: '/v1',
};

/**
 * The signature that Gemini accepts on calls that have no real signature.
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const replacedSignature = 'skip_thought_signature_validator';

/**
 * Makes the provider return the turns in order, in the format of each request. Returns the violations of real
 * providers' rules. Requests that violate a rule get status 400.
 * @param dropsSignatures whether the client drops Gemini's signatures, so that the gateway must replace
 * them
 */
export function scriptUpstream(
  provider: ReplayProvider,
  turns: readonly UpstreamTurn[],
  dropsSignatures = false,
): readonly string[] {
  const left = [...turns];
  const violations: string[] = [];
  const rules = new TranscriptRules();
  const issued: Members[] = dropsSignatures ? [{ thoughtSignature: replacedSignature }] : [];
  provider.setControls(({ url, body }) => {
    const request = JSON.parse(body.toString('utf8')) as Members;
    const turn = left.shift() ?? {};
    const found = checkRequest(url, request, rules, issued);
    if (found !== undefined) {
      violations.push(found);
      return {
        status: 400,
        headers: json,
        body: { error: { message: found, type: 'invalid_request_error' } },
      };
    }
    if (url.includes('/responses')) return answerResponses(turn, request, issued);
    if (url.includes('enerateContent')) return answerGemini(turn, url, issued);
    const calls = (turn.calls ?? []).map(({ input, ...call }) => ({
      ...call,
      arguments: call.arguments ?? { input },
    }));
    const { thinking, ...rest } = turn;
    const thinks = thinking !== undefined && !url.includes('/chat/completions');
    return renderAnswer(
      { ...rest, calls, ...(thinks ? { thinking: [thinking] } : {}) },
      { url, body },
      rules,
    );
  });
  return violations;
}

function checkRequest(
  url: string,
  request: Members,
  rules: TranscriptRules,
  issued: readonly Members[],
): string | undefined {
  if (url.includes('enerateContent')) return checkGemini(request, issued);
  if (url.includes('/responses')) return findViolation(url, request) ?? checkItems(request, issued);
  const format = url.includes('/messages')
    ? 'messages'
    : url.includes('/converse')
      ? 'converse'
      : 'chat-completions';
  return rules.check(format, request);
}

function answerResponses(turn: UpstreamTurn, request: Members, issued: Members[]): ReplayControls {
  const reasoning = {
    ...{ id: 'rs_1', type: 'reasoning', summary: [] },
    encrypted_content: `gAAAA-${turn.thinking ?? ''}`,
  };
  const items = [
    ...(turn.thinking === undefined ? [] : [reasoning]),
    ...(turn.text === undefined ? [] : [messageOf(turn.text)]),
    ...(turn.calls ?? []).map(({ id, name, arguments: given, input }) =>
      input === undefined ? callOf(id, name, JSON.stringify(given)) : customCallOf(id, name, input),
    ),
  ];
  issued.push(...items.filter(({ type }) => type === 'reasoning'));
  return renderResponse(responseOf(items), request['stream'] === true);
}

/** OpenAI's models can continue their reasoning only if they receive their own reasoning items unchanged. */
function checkItems({ input }: Members, issued: readonly Members[]): string | undefined {
  const sent = (input as Members[]).filter(({ type }) => type === 'reasoning');
  const isKnown = (item: Members): boolean =>
    issued.some(({ encrypted_content }) => encrypted_content === item['encrypted_content']);
  return sent.every(isKnown) ? undefined : 'The encrypted content could not be verified.';
}

interface GeminiPart {
  readonly text?: string;
  readonly functionCall?: { readonly name: string };
  readonly functionResponse?: { readonly name: string };
  readonly thoughtSignature?: string;
}

function answerGemini(turn: UpstreamTurn, url: string, issued: Members[]): ReplayControls {
  const calls = (turn.calls ?? []).map(({ id, name, arguments: given, input }, at) => ({
    functionCall: { name, args: given ?? { input } },
    ...(at === 0 ? { thoughtSignature: Buffer.from(`signed ${id}`).toString('base64') } : {}),
  }));
  issued.push(...calls.slice(0, 1));
  const parts: Members[] = [
    ...(turn.thinking === undefined ? [] : [{ text: turn.thinking, thought: true }]),
    ...(turn.text === undefined ? [] : [{ text: turn.text }]),
    ...calls,
  ];
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 };
  const chunk = (given: readonly Members[], finish: object): Members => ({
    candidates: [{ content: { role: 'model', parts: given }, index: 0, ...finish }],
    ...{ usageMetadata, modelVersion: 'gemini-3.6-pro', responseId: 'r1' },
  });
  const end = { finishReason: 'STOP' };
  if (!url.includes('streamGenerateContent')) return { status: 200, headers: json, body: chunk(parts, end) };
  const chunks = [...parts.map((part) => chunk([part], {})), chunk([{ text: '' }], end)];
  const frames = chunks.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`);
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames.join('') };
}

/**
 * Gemini 3 requires the unchanged signature on the first call of each turn. The next content must contain one
 * function response per function call. https://ai.google.dev/gemini-api/docs/thought-signatures
 */
function checkGemini(request: Members, issued: readonly Members[]): string | undefined {
  const contents = request['contents'] as { role: string; parts: GeminiPart[] }[];
  const namesIn = (at: number, member: 'functionCall' | 'functionResponse'): string[] =>
    (contents[at]?.parts ?? []).flatMap((part) => part[member]?.name ?? []);
  for (const [at, { parts }] of contents.entries()) {
    const called = namesIn(at, 'functionCall');
    if (called.join() !== namesIn(at + 1, 'functionResponse').join())
      return 'the number of function response parts is not equal to the number of function call parts';
    const first = parts.find(({ functionCall }) => functionCall !== undefined);
    if (first !== undefined && !issued.some((part) => part['thoughtSignature'] === first.thoughtSignature))
      return 'Function call is missing a thought_signature in functionCall parts';
  }
  return undefined;
}
