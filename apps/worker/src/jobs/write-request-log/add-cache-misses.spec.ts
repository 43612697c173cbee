import { renderShippedEvent, type PromptHashes, type RequestPrompt } from '@gateway/contracts';
import { createAcceptedEvent, createEndedEvent } from '@gateway/testing';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { addCacheMisses } from './add-cache-misses.ts';
import { renderRequestLogRow } from './request-log-row.ts';

const hash = (digit: string) => digit.repeat(16);
const client: PromptHashes = {
  ...{ tools: hash('1'), toolSet: hash('2'), system: hash('3'), opening: hash('4') },
  ...{ before: [], here: hash('4') },
};
const prompt: RequestPrompt = {
  ...{ conversation: 'c'.repeat(32), client, sent: null, caching: 'explicit', ttlSeconds: 300 },
  ...{ inputTokens: 10_000, cachedTokens: 0, writtenTokens: 10_000, usdPerMtok: null, diagnosis: null },
};
const source = renderShippedEvent(createEndedEvent(createAcceptedEvent(), { prompt }));
const row = renderRequestLogRow(source);

/** Adds cache misses to events, based on a request log that contains one earlier request of the conversation. */
async function addWith(stored: unknown) {
  const earlier = {
    ...{ requestId: row.id, id: 'earlier', prompt: stored },
    ...{ atMs: Date.parse(row.created_at) - 1_000, provider: source.provider, model: source.model },
    requestedModel: source.requestedModel,
  };
  const database = { acrossAccounts: { $queryRawUnsafe: () => Promise.resolve([earlier]) } };
  const [added] = await addCacheMisses(database as unknown as TelemetryDatabase, [
    { row, source, traceparent: null },
  ]);
  return added?.row.cache_miss_cause;
}

it('compares a request with the request log, and skips prompts that another release wrote in a different format', async () => {
  expect(await addWith(prompt)).toBe('provider');
  expect(await addWith({ ...prompt, client: { ...client, here: undefined } })).toBeNull();
});
