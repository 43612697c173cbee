import type {
  CacheMiss,
  CacheMissCause,
  CacheMissDetail,
  PromptHashes,
  PromptPart,
  RequestPrompt,
} from '@gateway/contracts';

/** The properties of a request that determine prompt cache hits in its conversation. */
export interface PromptRecord {
  readonly id: string;
  /** The time at which the gateway accepted the request, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly requestedModel: string | null;
  readonly prompt: RequestPrompt;
}

/**
 * Size of a prompt cache block in tokens. Differences of less than one block are rounding errors. Providers
 * cache prompts in blocks, for example in blocks of 128 tokens at OpenAI.
 */
const blockTokens = 128;
const tokensMin = 256;
const shareMin = 0.02;

/**
 * Finds the reason for a prompt cache miss, by comparing a request with the earlier request that it continues.
 * Returns null if the request missed no cached token, or does not continue an earlier request.
 * @param earlier the earlier requests of the same conversation in any order. Requests after `record` are ignored.
 */
export function findCacheMiss(record: PromptRecord, earlier: readonly PromptRecord[]): CacheMiss | null {
  const previous = choosePrevious(record, earlier);
  if (previous === undefined) return null;
  const tokens = countMissed(record.prompt, previous.prompt);
  if (tokens === 0) return null;
  const { diagnosis } = record.prompt;
  const [cause, detail] =
    diagnosis === null ? nameCause(record, previous) : attributeChange(diagnosis.part, record, previous);
  return { cause, detail, tokens, usd: priceMissed(record.prompt, tokens) };
}

/**
 * Chooses the earlier request that `record` continues. The chosen request has the most in common with `record`. If
 * several requests are equally similar, the function chooses the newest one. Agents of one session can take turns, so
 * the chosen request is not always the most recent request before `record`.
 */
function choosePrevious(record: PromptRecord, earlier: readonly PromptRecord[]): PromptRecord | undefined {
  let [best, bestLikeness] = [undefined as PromptRecord | undefined, 0];
  for (const other of earlier) {
    if (other.id === record.id || other.atMs >= record.atMs) continue;
    const likeness = likenessOf(record.prompt.client, other.prompt.client);
    if (likeness < bestLikeness || likeness === 0) continue;
    if (likeness === bestLikeness && best !== undefined && other.atMs <= best.atMs) continue;
    [best, bestLikeness] = [other, likeness];
  }
  return best;
}

/** Similarity between the prompts of two requests. The similarity is 0 if the prompts have different openings. */
function likenessOf(client: PromptHashes, earlier: PromptHashes): number {
  if (client.opening !== earlier.opening) return 0;
  const shared = Number(client.tools === earlier.tools) + Number(client.system === earlier.system);
  return 1 + shared + (continues(client, earlier) ? 3 : 0);
}

function continues({ here, before }: PromptHashes, earlier: PromptHashes): boolean {
  return here === earlier.here || before.includes(earlier.here);
}

/**
 * The number of tokens that the earlier request left in the cache and that the later request did not read. Only
 * tokens that the later request contained are counted.
 */
function countMissed(prompt: RequestPrompt, earlier: RequestPrompt): number {
  const told = prompt.diagnosis?.tokens;
  if (told != null) return told;
  const left = countCached(earlier);
  const missed = Math.min(left, prompt.inputTokens) - prompt.cachedTokens;
  return missed < Math.max(tokensMin, left * shareMin) ? 0 : missed;
}

/**
 * The number of tokens that a request read from the prompt cache or wrote to it. Some providers do not report
 * the tokens written to the cache.
 */
function countCached({ caching, inputTokens, cachedTokens, writtenTokens }: RequestPrompt): number {
  if (caching === 'explicit' || writtenTokens > 0) return cachedTokens + writtenTokens;
  return Math.floor(inputTokens / blockTokens) * blockTokens;
}

type Named = readonly [CacheMissCause, CacheMissDetail];

/**
 * Returns the cause of a prompt cache miss. If the cache lifetime has expired and the provider read no cached
 * tokens, the cause is the lifetime. Otherwise, the cause is a prompt change by the client or the gateway. If
 * neither the client nor the gateway changed the prompt, the cause is the provider or the expired cache lifetime.
 */
function nameCause(record: PromptRecord, previous: PromptRecord): Named {
  const { prompt, atMs } = record;
  const isOld =
    previous.prompt.ttlSeconds !== null && atMs - previous.atMs > previous.prompt.ttlSeconds * 1000;
  if (isOld && prompt.cachedTokens === 0) return ['expired', 'idle'];
  if (record.requestedModel !== previous.requestedModel) return ['client', 'model_changed'];
  const byClient = findChange(prompt.client, previous.prompt.client);
  if (byClient !== null) return ['client', byClient];
  if (record.provider !== previous.provider || record.model !== previous.model)
    return ['gateway', 'model_changed'];
  const { client: own, sent } = prompt;
  const byGateway = findChange(sent ?? own, previous.prompt.sent ?? previous.prompt.client);
  if (byGateway !== null) return ['gateway', byGateway];
  return isOld ? ['expired', 'idle'] : ['provider', 'evicted'];
}

/**
 * Finds the cause if the provider reports a changed prompt. The gateway caused the change if the client did not
 * change the reported section of the prompt.
 */
function attributeChange(part: PromptPart, record: PromptRecord, previous: PromptRecord): Named {
  const [now, before] = [record.prompt.client, previous.prompt.client];
  const isReordered = now.tools !== before.tools && now.toolSet === before.toolSet;
  const [isClients, detail] = {
    model: [record.requestedModel !== previous.requestedModel, 'model_changed'] as const,
    tools: [now.tools !== before.tools, isReordered ? 'tools_reordered' : 'tools_changed'] as const,
    system: [now.system !== before.system, 'system_changed'] as const,
    messages: [!continues(now, before), 'message_edited'] as const,
  }[part];
  return [isClients ? 'client' : 'gateway', detail];
}

/** The first changed section of the prompt, in the order in which providers read the prompt. */
function findChange(now: PromptHashes, before: PromptHashes): CacheMissDetail | null {
  if (now.tools !== before.tools) return now.toolSet === before.toolSet ? 'tools_reordered' : 'tools_changed';
  if (now.system !== before.system) return 'system_changed';
  return continues(now, before) ? null : 'message_edited';
}

/** The price of missed tokens. Missed tokens were written to the cache again, or billed as uncached input. */
function priceMissed({ writtenTokens, usdPerMtok }: RequestPrompt, tokens: number): number | null {
  if (usdPerMtok === null) return null;
  const written = Math.min(tokens, writtenTokens);
  const paid = written * usdPerMtok.write + (tokens - written) * usdPerMtok.input;
  return Math.max(0, (paid - tokens * usdPerMtok.read) / 1_000_000);
}
