import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type OpenAI from 'openai';
import type { ReplayControls, ReplayProvider } from '@gateway/testing';
import { githubTools, type FunctionTool } from '../e2e/github-tools.fixture.ts';
import { renderTurn, type ModelTurn } from '../e2e/scripted-model.fixture.ts';
import { connectOpenAi } from '../e2e/telemetry.fixture.ts';

/** One call that the provider received, and the token counts in its response. */
export interface UpstreamCall {
  readonly tools: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A request as the client sent it, and as the provider received it in each call. */
export interface KnownRequest {
  readonly id: string;
  readonly keyId: string;
  readonly session: string;
  /** Names of the tools in the client's request. */
  readonly offered: readonly string[];
  /** The client's request body as JSON, without the provider prefix in the model name. */
  readonly body: string;
  readonly upstream: readonly UpstreamCall[];
  /** Names of the tools in the calls that the client received. */
  readonly called: readonly string[];
  readonly header: (name: string) => string | null;
}

export interface Ask {
  readonly key: { readonly id: string; readonly key: string };
  readonly session: string;
  readonly tools: readonly FunctionTool[];
  readonly messages: OpenAI.ChatCompletionMessageParam[];
  /** The model's responses, one for each provider call. */
  readonly turns: readonly ModelTurn[];
  readonly stream?: boolean;
}

const weather: FunctionTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Get the current weather forecast for a city',
    parameters: { type: 'object', properties: { city: { type: 'string', description: 'Name of the city' } } },
  },
};
/**
 * Two tool lists that belong to different size bands. The first tool list has 101 to 250 tools, and the
 * second tool list has 51 to 100 tools.
 */
export const longList: readonly FunctionTool[] = [weather, ...githubTools];
export const shortList: readonly FunctionTool[] = [weather, ...githubTools.slice(0, 59)];
export const question = 'Get the current weather forecast for the city of München';

interface Schema {
  readonly properties?: Readonly<
    Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>
  >;
  readonly required?: readonly string[];
}

const samples: Readonly<Record<string, unknown>> = {
  string: 'x',
  number: 1,
  boolean: true,
  array: [],
  object: {},
};

/**
 * Returns arguments that are valid for the tool's schema. If a recovered tool's arguments were invalid, the
 * gateway would return the call to the model.
 */
function argumentsFor(name: string): Record<string, unknown> {
  const { properties = {}, required = [] } = longList.find((tool) => tool.function.name === name)?.function
    .parameters as Schema;
  const valueOf = ({ type = 'string', enum: values }: NonNullable<Schema['properties']>[string]) =>
    values?.[0] ?? samples[type];
  return Object.fromEntries(required.map((field) => [field, valueOf(properties[field] ?? {})]));
}

const recoveryTool = 'svc_more_tools';
export const callTurn = (name: string): ModelTurn => ({
  calls: [{ id: 'call_1', name, arguments: argumentsFor(name) }],
});
/**
 * The model's responses in a conversation that uses a pruned tool. The model first requests the tool's
 * definition and then calls the tool.
 */
export const recoverTurns = (name: string): ModelTurn[] => [
  { calls: [{ id: 'call_1', name: recoveryTool, arguments: { action: 'describe', names: [name] } }] },
  {
    calls: [
      {
        id: 'call_2',
        name: recoveryTool,
        arguments: { action: 'call', name, arguments: argumentsFor(name) },
      },
    ],
  },
];

/** Sends requests through OpenAI's SDK, and records what the client and the provider see. */
export class KnownTraffic {
  readonly requests: KnownRequest[] = [];
  readonly #provider: ReplayProvider;

  constructor(provider: ReplayProvider) {
    this.#provider = provider;
  }

  async send({ key, session, tools, messages, turns, stream = false }: Ask): Promise<KnownRequest> {
    const upstream: UpstreamCall[] = [];
    const left = [...turns];
    this.#provider.setControls(({ body }) => {
      const turn = left.shift();
      if (turn === undefined) return { status: 500, body: { error: { message: 'no turn is left' } } };
      return answer(turn, body, (call) => upstream.push(call));
    });
    const body = { model: 'openai/gpt-4o-mini', messages, tools: [...tools] };
    const { headers, called } = await this.#call(key.key, session, body, stream);
    const request = {
      id: headers.get('x-request-id') ?? '',
      keyId: key.id,
      session,
      offered: tools.map((tool) => tool.function.name),
      body: JSON.stringify({ ...body, model: 'gpt-4o-mini' }),
      upstream,
      called,
      header: (name: string) => headers.get(name),
    };
    this.requests.push(request);
    return request;
  }

  /** Makes the provider respond to every later request with the given turn. The playground tests need this. */
  answerAll(turn: ModelTurn): void {
    this.#provider.setControls(({ body }) => answer(turn, body, () => undefined));
  }

  async #call(
    apiKey: string,
    session: string,
    body: OpenAI.ChatCompletionCreateParamsNonStreaming,
    isStreamed: boolean,
  ): Promise<{ headers: Headers; called: string[] }> {
    const { chat } = connectOpenAi(apiKey);
    const headers = { 'x-svc-session-id': session };
    if (!isStreamed) {
      const { data, response } = await chat.completions.create(body, { headers }).withResponse();
      return { headers: response.headers, called: namesOf(data.choices[0]?.message.tool_calls) };
    }
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } } as const;
    const { data, response } = await chat.completions.create(streamed, { headers }).withResponse();
    const called: string[] = [];
    for await (const { choices } of data) called.push(...namesOf(choices[0]?.delta.tool_calls));
    return { headers: response.headers, called };
  }
}

/** Renders the provider's response. Input tokens are counted with a tokenizer, as real providers do. */
function answer(turn: ModelTurn, body: Buffer, note: (call: UpstreamCall) => void): ReplayControls {
  const received = JSON.parse(body.toString('utf8')) as { tools?: unknown[]; stream?: boolean };
  const inputTokens = countTokens(JSON.stringify(received));
  const call = { tools: received.tools?.length ?? 0, inputTokens, outputTokens: 20 };
  note(call);
  return renderTurn('chat-completions', { ...turn, ...call }, received.stream === true);
}

/**
 * Returns the tool names in the given function calls. Only the first chunk of a streamed function call
 * contains the function's name.
 */
function namesOf(calls: readonly object[] | undefined): string[] {
  return (calls ?? []).flatMap((call) =>
    'function' in call ? ((call.function as { readonly name?: string }).name ?? []) : [],
  );
}
