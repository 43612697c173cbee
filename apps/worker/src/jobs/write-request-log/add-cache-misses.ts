import { requestPrompt, type CacheMiss } from '@gateway/contracts';
import { z } from 'zod';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { findCacheMiss, type PromptRecord } from './cache-miss.ts';
import type { ParsedEvent } from './parse-batch.ts';

/**
 * Maximum age in milliseconds of the earlier requests that are read. No provider keeps an unused prompt prefix
 * in its cache for longer.
 */
const historyMs = 13 * 3_600_000;
/**
 * Maximum number of earlier requests in the conversation with which a new request is compared. Several agents
 * can take turns in one conversation.
 */
const recordsMax = 8;

const select = `
  SELECT wanted.request_id AS "requestId", found.*
  FROM json_to_recordset($1::json)
    AS wanted (request_id text, account_id uuid, conversation text, since timestamptz, until timestamptz)
  CROSS JOIN LATERAL (
    SELECT id::text, (extract(epoch FROM created_at) * 1000)::float8 AS "atMs", provider, model,
      requested_model AS "requestedModel", prompt
    FROM request_log
    WHERE account_id = wanted.account_id AND conversation = wanted.conversation
      AND created_at >= wanted.since AND created_at < wanted.until
    ORDER BY created_at DESC LIMIT ${recordsMax}
  ) AS found`;

const stored = z.array(
  z.object({
    /** The id of the new request in the batch. The query returns only earlier requests. */
    requestId: z.string(),
    id: z.string(),
    atMs: z.number(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    requestedModel: z.string().nullable(),
    // The stored prompt is null if another release stored the prompt in a different format.
    // A request without a stored prompt is not compared with other requests.
    prompt: requestPrompt.nullable().catch(null),
  }),
);

/**
 * Compares each event with the earlier requests of its conversation, and adds the reason for a prompt cache
 * miss. The earlier requests are in the request log or in the same batch of events.
 */
export async function addCacheMisses(
  database: TelemetryDatabase,
  events: readonly ParsedEvent[],
): Promise<readonly ParsedEvent[]> {
  const records = new Map(
    events.flatMap((event) => recordOf(event) ?? []).map((each) => [each.record.id, each]),
  );
  if (records.size === 0) return events;
  const batch = Map.groupBy(records.values(), ({ key }) => key);
  const logged = await readEarlier(database, [...records.values()]);
  return events.map((event) => {
    const known = records.get(event.row.id);
    if (known === undefined) return event;
    const inBatch = batch.get(known.key) ?? [];
    const inLog = logged.get(event.row.id) ?? [];
    const miss = findCacheMiss(
      known.record,
      [...inLog, ...inBatch].map(({ record }) => record),
    );
    return miss === null ? event : { ...event, row: { ...event.row, ...renderMiss(miss) } };
  });
}

interface KeyedRecord {
  /** The key of a conversation, which consists of the account id and the conversation id. */
  readonly key: string;
  readonly accountId: string;
  readonly record: PromptRecord;
}

function recordOf({ row, source }: ParsedEvent): KeyedRecord | undefined {
  const { prompt, provider, model, requestedModel } = source;
  if (prompt === null) return undefined;
  const record = { id: row.id, atMs: Date.parse(row.created_at), provider, model, requestedModel, prompt };
  return { key: `${row.account_id}/${prompt.conversation}`, accountId: row.account_id, record };
}

/** For each given request, reads the requests that precede it in its conversation. */
async function readEarlier(
  database: TelemetryDatabase,
  records: readonly KeyedRecord[],
): Promise<Map<string, { readonly record: PromptRecord }[]>> {
  const wanted = records.map(({ accountId, record: { id, atMs, prompt } }) => ({
    ...{ request_id: id, account_id: accountId, conversation: prompt.conversation },
    ...{ since: new Date(atMs - historyMs).toISOString(), until: new Date(atMs).toISOString() },
  }));
  const rows: unknown = await database.acrossAccounts.$queryRawUnsafe(select, JSON.stringify(wanted));
  const read = stored
    .parse(rows)
    .flatMap(({ requestId, prompt, ...row }) =>
      prompt === null ? [] : [{ requestId, record: { ...row, prompt } }],
    );
  return Map.groupBy(read, ({ requestId }) => requestId);
}

function renderMiss({ cause, detail, tokens, usd }: CacheMiss) {
  return {
    cache_miss_cause: cause,
    cache_miss_detail: detail,
    cache_miss_tokens: tokens,
    cache_miss_usd: usd,
  };
}
