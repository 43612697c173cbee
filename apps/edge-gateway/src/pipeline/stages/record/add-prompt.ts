import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestEventV1, RequestPrompt } from '@gateway/contracts';
import type { TokenUsage } from '@gateway/interchange';
import { costUsd, type CatalogModel, type ModelCatalog } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { deriveKey } from '../../../request/conversation.ts';
import { isLarge } from '../../../request/request-facts.ts';
import type { ParsedRequest } from '../../../request/request.ts';
import type { RelayOutcome } from '../../exchange/answer.ts';
import type { Exchange, SentPrompt } from '../../exchange/exchange.ts';
import { findModel } from './render-record.ts';
import type { PromptHasher } from './prompt-hasher.ts';

interface PromptServices {
  readonly catalog: ModelCatalog;
  readonly promptHasher: PromptHasher;
}

/**
 * Maximum length in bytes of a request with a hashed prompt. Above this length, reading the request takes more than
 * ten milliseconds.
 */
const bytesMax = 8 * 1024 * 1024;
const conversationDigits = 32;

/**
 * Adds hashes of the prompt to a usage event. The worker uses the hashes to find the cause of a prompt cache miss.
 * The hashes are added after the response was sent, and the function never throws. A request is not hashed if it
 * has no tools and uses the provider's own format. The function also skips prompts that are too short for the
 * prompt cache, and models that have no prompt cache. For a large request, the function returns a promise, so that
 * other requests can run in between.
 */
export function addPrompt(
  event: RequestEventV1,
  exchange: Exchange,
  outcome: RelayOutcome,
  services: PromptServices,
): RequestEventV1 | Promise<RequestEventV1> {
  const usage = exchange.rounds?.usages[0] ?? outcome.summary?.usage;
  const model = findModel(event, services.catalog);
  const { prompt } = exchange;
  if (prompt === undefined || usage === undefined || !mayBeCached(model, usage)) return event;
  if (!isCompared(prompt.request, event) || event.usage?.estimated !== false) return event;
  const add = (): RequestEventV1 => {
    try {
      event.prompt = renderPrompt(event, prompt, { exchange, outcome, model, usage, ...services });
    } catch {
      // If hashing fails, the usage event is still written, but this request is missing from the cache miss report.
    }
    return event;
  };
  return isLarge(prompt.request.bytes) ? nextTurn().then(add) : add();
}

/**
 * Returns whether the gateway hashes the prompt of a request. A request is not hashed if it has no tools and uses
 * the provider's own format. Hashing would noticeably delay a request without tools.
 */
function isCompared({ bytes, outline }: ParsedRequest, { lane }: RequestEventV1): boolean {
  return bytes.length <= bytesMax && (outline.tools.length > 0 || lane === 'translated');
}

function mayBeCached(model: CatalogModel | undefined, { inputTokens }: TokenUsage): model is CatalogModel {
  const cache = model?.cache ?? null;
  return cache !== null && cache.kind !== 'none' && inputTokens >= (cache.minTokens ?? 0);
}

interface Answered extends PromptServices {
  readonly exchange: Exchange;
  readonly outcome: RelayOutcome;
  readonly model: CatalogModel;
  readonly usage: TokenUsage;
}

function renderPrompt(
  { accountId }: RequestEventV1,
  { request, edits }: SentPrompt,
  { exchange, outcome, model, usage, promptHasher }: Answered,
): RequestPrompt {
  const { bytes, outline, conversation, known } = request;
  const { client } = formatNamed(exchange.format);
  const readOutline = (edited: Buffer) =>
    client.outlineRequest(scanJson(edited, { depthMax: 128 }), exchange.route);
  const hashSent = () => promptHasher.hashEdited(accountId, { outline, bytes, edits, readOutline, known });
  return {
    conversation: deriveKey(accountId, conversation.key).slice(0, conversationDigits),
    client: promptHasher.hashPrompt(accountId, outline, bytes, known),
    sent: exchange.ledger.lane === 'edited' ? hashSent() : null,
    caching: model.cache?.kind === 'explicit' ? 'explicit' : 'automatic',
    ttlSeconds: readTtlSeconds(bytes) ?? model.cache?.ttlSeconds ?? null,
    inputTokens: usage.inputTokens,
    cachedTokens: usage.cachedInputTokens ?? 0,
    writtenTokens: usage.cacheWriteTokens ?? 0,
    usdPerMtok: readPrices(model, usage, exchange.acceptedAt.getTime()),
    diagnosis: outcome.summary?.cacheMiss ?? null,
  };
}

/**
 * Cache lifetimes that a client can request, longest first. The longest lifetime among the cache markers in a
 * request applies.
 */
const lifetimes = (
  [
    ['12h', 43_200],
    ['1h', 3_600],
    ['30m', 1_800],
  ] as const
).map(([ttl, seconds]) => [[`"ttl":"${ttl}"`, `"ttl": "${ttl}"`], seconds] as const);

function readTtlSeconds(bytes: Buffer): number | undefined {
  if (!bytes.includes('"ttl"')) return undefined;
  return lifetimes.find(([spellings]) => spellings.some((spelling) => bytes.includes(spelling)))?.[1];
}

/**
 * Returns prices in USD per million tokens for the price tier of the request. The price of a cache write is the
 * price for the shortest cache lifetime.
 */
function readPrices(
  model: CatalogModel,
  { inputTokens }: TokenUsage,
  at: number,
): RequestPrompt['usdPerMtok'] {
  const plain = { inputTokens, outputTokens: 0 };
  const perMtok = (usage: TokenUsage) => ((costUsd(model, usage, at) ?? NaN) / inputTokens) * 1_000_000;
  const input = perMtok(plain);
  if (!Number.isFinite(input)) return null;
  const read = perMtok({ ...plain, cachedInputTokens: inputTokens });
  return { input, read, write: perMtok({ ...plain, cacheWriteTokens: inputTokens }) };
}
