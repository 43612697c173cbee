import type { ReceivedRequest, ReplayControls, ReplayProvider, StackUnderTest } from '@gateway/testing';
import { connectProvider, createTestAccount, createTestKey } from '../e2e/account.fixture.ts';
import { streamedMessages } from '../e2e/anthropic.fixture.ts';
import { postChat, send, type Answer } from '../e2e/http.fixture.ts';
import { plainAnswer, streamedAnswer } from '../e2e/provider.fixture.ts';
import { eventually } from '../integration/stack.fixture.ts';

const json = { 'content-type': 'application/json' };
const plainMessage = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', stop_sequence: null },
  ...{ content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn' },
  usage: { input_tokens: 10, output_tokens: 20 },
};

/** Returns a healthy provider's response in the provider's format. */
export function wellAnswered({ url, body }: Pick<ReceivedRequest, 'url' | 'body'>): ReplayControls {
  const isStream = (JSON.parse(body.toString('utf8')) as { stream?: boolean }).stream === true;
  if (url.endsWith('/messages')) {
    return isStream ? streamedMessages() : { status: 200, body: plainMessage, headers: json };
  }
  return isStream ? streamedAnswer(['Hello', '.']) : plainAnswer;
}

type Asked = Pick<ReceivedRequest, 'url' | 'headers' | 'body'>;

/** An account with three providers. The test makes the first provider fail. */
export interface TroubledAccount {
  readonly name: string;
  readonly accountId: string;
  readonly key: string;
  /** The failure of the first provider, or undefined if the first provider is healthy. */
  trouble: ((request: Asked) => ReplayControls | undefined) | undefined;
  /** Returns the number of calls to one provider, or to all providers. */
  calls(provider?: string): number;
}

/** Test providers for many accounts, all on one server. The URL path prefix identifies the account of a request. */
export class TroubledProviders {
  readonly #stack: StackUnderTest;
  readonly #server: ReplayProvider;
  readonly #accounts = new Map<string, TroubledAccount>();

  constructor(stack: StackUnderTest, server: ReplayProvider) {
    this.#stack = stack;
    this.#server = server;
    server.setControls((request) => {
      const [, name = '', provider] = request.url.split('/');
      const trouble = provider === 'openai' ? this.#accounts.get(name)?.trouble?.(request) : undefined;
      return trouble ?? wellAnswered(request);
    });
  }

  /**
   * Creates an account with three providers.
   * @param fallbacks the account's fallback models, in order. By default, the first fallback uses a different format.
   */
  async open(name: string, fallbacks = ['anthropic/claude', 'groq/llama']): Promise<TroubledAccount> {
    const { baseUrl } = this.#stack;
    const { accountId, apiKey } = await createTestAccount(this.#stack);
    const { key } = await createTestKey(baseUrl, apiKey, { name, rate_limit_rpm: 1_000_000 });
    for (const provider of ['openai', 'anthropic', 'groq']) {
      const base_url = `${this.#server.url}/${name}/${provider}/v1`;
      await connectProvider(baseUrl, key, { provider, api_key: `sk-trouble-${name}`, base_url });
    }
    // After the audit event of a changed credential is stored, the vault announces the change a second time.
    // On this second announcement, the edge closes the provider's circuit breakers.
    await eventually(async () => {
      const audit = await send(baseUrl, { path: '/v1/account/audit?action=provider.saved', key });
      return (audit.json() as { data: unknown[] }).data.length === 3 ? true : undefined;
    });
    const path = '/v1/account/routing/preferences';
    const answer = await send(baseUrl, { method: 'PUT', path, key, body: { fallbacks } });
    if (answer.status !== 200) throw new Error(`the fallbacks were not stored: ${answer.text}`);
    const account: TroubledAccount = {
      ...{ name, accountId, key, trouble: undefined },
      calls: (provider) => this.#count(`/${name}/${provider === undefined ? '' : `${provider}/`}`),
    };
    this.#accounts.set(name, account);
    return account;
  }

  #count(prefix: string): number {
    return this.#server.requests.filter(({ url }) => url.startsWith(prefix)).length;
  }
}

/** Sends one of an account's requests to a model of the account's first provider. */
export function ask(baseUrl: string, { key }: TroubledAccount, stream: boolean): Promise<Answer> {
  const messages = [{ role: 'user', content: 'Hello!' }];
  return postChat(baseUrl, key, { model: 'openai/gpt-4o-mini', stream, messages });
}

/** Sends many requests, a few of them in parallel. Every second request is a streaming request. */
export async function askMany(
  baseUrl: string,
  account: TroubledAccount,
  requests: number,
  concurrency: number,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  let sent = 0;
  const work = async (): Promise<void> => {
    while (sent < requests) answers.push(await ask(baseUrl, account, sent++ % 2 === 0));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return answers;
}

/** Returns the responses that have an error or incomplete content. */
export function broken(answers: readonly Answer[]): { status: number; text: string }[] {
  return answers
    .filter(({ status, text, headers }) => {
      const isStream = headers['content-type']?.startsWith('text/event-stream') ?? false;
      const isWhole = isStream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}');
      return status !== 200 || !isWhole || text.includes('"error"');
    })
    .map(({ status, text }) => ({ status, text }));
}
