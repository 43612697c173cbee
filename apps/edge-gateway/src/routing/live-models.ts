import { credentialChanged } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { findProvider, formatsOf, renderUpstreamRequest, type Provider } from '@gateway/providers';
import { z } from 'zod';
import { RemoteCache } from '../cache/remote-cache.ts';
import { openConnections, type ConnectionServices } from '../connections/open-connection.ts';
import type { AnswerBody } from '../upstream/answer-body.ts';
import { readWhole } from '../upstream/answer-body.ts';
import type { Upstream } from '../upstream/upstream.port.ts';

export interface LiveModelsOptions extends ConnectionServices {
  readonly upstream: Pick<Upstream, 'send'>;
  readonly messaging: Pick<Messaging, 'connected' | 'onBroadcast'>;
}

const answerMsMax = 5_000;
const answerBytesMax = 4 * 1024 * 1024;
const modelsMax = 2_000;
const id = z.string().min(1).max(256);
/**
 * Parses model lists in the OpenAI and Anthropic formats, then in Google's format. Invalid entries in a model
 * list are skipped.
 */
const listed = z.union([
  z.object({ data: z.array(z.unknown()) }),
  z.object({ models: z.array(z.unknown()) }),
]);
const tokens = z.int().positive().optional().catch(undefined);
/** The field for the context window, as vLLM, SambaNova and others name it. */
const limits = { max_model_len: tokens, context_length: tokens, context_window: tokens };
const entry = z
  .union([
    z.object({ id, ...limits }),
    z
      .object({ name: id, ...limits })
      .transform(({ name, ...others }) => ({ id: name.replace(/^models\//, ''), ...others })),
  ])
  .transform(({ id: modelId, ...found }): LiveModel => ({
    id: modelId,
    contextWindow: found.max_model_len ?? found.context_length ?? found.context_window ?? null,
  }));

/** A model in the list of a provider. */
export interface LiveModel {
  /** The id, as the provider spells it. */
  readonly id: string;
  /** Maximum number of input and output tokens together. Null if the model list has no such number. */
  readonly contextWindow: number | null;
}

/**
 * Loads models from the model lists of the providers, with the account's credentials. Model lists are cached
 * for one minute. The gateway loads model lists only from providers that serve the list at their chat address.
 */
export class LiveModels {
  readonly #cache: RemoteCache<readonly LiveModel[]>;

  constructor(options: LiveModelsOptions) {
    this.#cache = new RemoteCache<readonly LiveModel[]>({
      entriesMax: 1_000,
      freshMs: 60_000,
      staleMs: 0,
      broadcastsArrive: () => options.messaging.connected,
      load: (key) => {
        const [accountId = '', name = ''] = key.split('|');
        // If a provider does not respond, its last model list stays cached for another minute.
        return askProvider(accountId, name, options).catch(() => this.#cache.kept(key) ?? []);
      },
    });
    options.messaging.onBroadcast(credentialChanged, ({ accountId, provider }) =>
      this.#cache.invalidate((_, key) => key === `${accountId}|${provider}`),
    );
  }

  /**
   * Returns the ids of a provider's models, as the provider spells them. Returns an empty list if the provider has
   * no model list or does not respond.
   */
  async list(accountId: string, provider: string): Promise<readonly string[]> {
    return (await this.find(accountId, provider)).map((model) => model.id);
  }

  /** Like `list`, with the facts from the provider's model list. */
  async find(accountId: string, provider: string): Promise<readonly LiveModel[]> {
    return this.#cache.get(`${accountId}|${provider}`).catch(() => []);
  }

  /** Returns the cached model list of a provider, even if the list has expired. Never calls the provider. */
  kept(accountId: string, provider: string): readonly LiveModel[] | undefined {
    return this.#cache.kept(`${accountId}|${provider}`);
  }
}

async function askProvider(
  accountId: string,
  name: string,
  services: LiveModelsOptions,
): Promise<readonly LiveModel[]> {
  const provider = findProvider(name);
  const [format] = provider === undefined ? [] : formatsOf(provider);
  if (provider === undefined || format === undefined || !listsModels(provider)) return [];
  const [connection] = await openConnections({ provider, ownCredential: null }, { accountId }, services);
  if (connection === undefined) return [];
  const { credential, baseUrl } = connection;
  const call = { provider, format, baseUrl, model: '', credential, stream: false, path: '/models' };
  const { url, headers } = renderUpstreamRequest(call);
  const signal = AbortSignal.timeout(answerMsMax);
  const answer = await services.upstream.send({ url, headers, method: 'GET', body: null, signal });
  const text = await readText(answer.body);
  return answer.status === 200 ? parseList(text) : [];
}

/** The gateway does not load lists that require a signed request or a different address. */
function listsModels({ auth, chatPaths, name }: Provider): boolean {
  if (auth.kind === 'aws' || auth.kind === 'google' || name === 'azure') return false;
  return ['chat-completions', 'messages', 'gemini'].some((format) => format in chatPaths);
}

async function readText(body: AnswerBody): Promise<string> {
  const { bytes, isWhole } = await readWhole(body, answerBytesMax);
  if (isWhole) return bytes.toString('utf8');
  body.discard();
  throw new RangeError('the list of models exceeds its size limit');
}

function parseList(text: string): readonly LiveModel[] {
  const list = listed.parse(JSON.parse(text));
  const entries = 'data' in list ? list.data : list.models;
  return entries.slice(0, modelsMax).flatMap((each) => entry.safeParse(each).data ?? []);
}
