import { candidateTuples, type CandidateTuple } from '@gateway/contracts';
import { z } from 'zod';
import { queryAccountLog, type LogSpan } from '../../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../../persistence/telemetry-database.ts';
import type { LearnedConversation } from './head-counts.ts';

/** Maximum number of shadow conversations and of conversations with recoveries that a head learns from. */
const conversationsMax = 300;
/** Maximum number of tools per turn, best first. */
const toolsMax = 256;

/** The rows of the newest shadow conversations. A row in an agent loop has no candidates. */
const sql = `
  , planned AS (
    SELECT coalesce(session_key, session_id, id::text) AS session, created_at, tool_list,
      needs IS NOT NULL AS is_shadow, CASE WHEN needs IS NULL THEN recovered_tools ELSE called_tools END AS needed,
      CASE WHEN needs IS NOT NULL AND intent IS DISTINCT FROM 'continue' THEN candidates END AS candidates, unlearned
    FROM own WHERE routing = 'semantic' AND tool_list IS NOT NULL
      AND (needs IS NOT NULL OR cardinality(recovered_tools) > 0)
  ), chosen AS (
    SELECT session, is_shadow, min(created_at) AS at,
      row_number() OVER (PARTITION BY is_shadow ORDER BY min(created_at) DESC) AS place
    FROM planned GROUP BY session, is_shadow
  )
  SELECT session, is_shadow, created_at AS at, tool_list AS list, needed,
    jsonb_path_query_array(candidates, '$[0 to ${toolsMax - 1}]') AS candidates,
    jsonb_path_query_array(unlearned, '$[0 to ${toolsMax - 1}]') AS unlearned
  FROM planned JOIN chosen USING (session, is_shadow)
  WHERE place <= ${conversationsMax} ORDER BY created_at`;

interface TurnRow {
  readonly session: string;
  readonly is_shadow: boolean;
  readonly at: Date;
  readonly list: string;
  /** The called tools of a shadow conversation, or the recovered tools of a pruned conversation. */
  readonly needed: readonly string[];
  readonly candidates: unknown;
  readonly unlearned: unknown;
}

const storedUnlearned = z.array(z.tuple([z.number(), z.number()]).rest(z.number())).nullable();

/**
 * Reads the conversations that an account head learns from. The recoveries of all pruned conversations together count
 * as much as the misses of the shadow conversations.
 */
export async function readConversations(
  database: TelemetryDatabase,
  span: LogSpan,
  { share, recoveryRate }: { readonly share: number; readonly recoveryRate: number },
): Promise<LearnedConversation[]> {
  const rows = await queryAccountLog<TurnRow>(database, span, sql);
  const recovered = Math.min(1, share / Math.max(0.01, (1 - share) * recoveryRate));
  const grouped = Map.groupBy(rows, ({ session, is_shadow }) => `${String(is_shadow)} ${session}`);
  const read = [...grouped.values()].map((own) => parseConversation(own, recovered));
  const offeredBy = new Map(
    read.flatMap(({ list, offered }) => (offered.length > 0 ? [[list, offered]] : [])),
  );
  return read
    .map((each) => ({ ...each, offered: offeredBy.get(each.list) ?? [] }))
    .filter(({ offered, needed }) => offered.length > 0 && needed.length > 0);
}

function parseConversation(rows: readonly TurnRow[], recovered: number): LearnedConversation {
  const needs = rows.map(({ needed }) => needed);
  const turns = rows.flatMap((row, at) => {
    const candidates = candidateTuples.nullable().parse(row.candidates) ?? [];
    const needed = new Set(needs.slice(at).flat());
    if (candidates.length === 0 || needed.size === 0) return [];
    return [{ ...rank(candidates, row.unlearned), needed, called: [...new Set(needs.slice(0, at).flat())] }];
  });
  const { at, list, is_shadow } = rows[0] ?? { at: new Date(0), list: '', is_shadow: false };
  const [offered, weight] = [turns[0]?.names ?? [], is_shadow ? 1 : recovered];
  return { at: at.toISOString(), list, offered, turns, needed: [...new Set(needs.flat())], weight };
}

/** The names and scores of the candidates without the account head, best first. */
function rank(candidates: readonly CandidateTuple[], stored: unknown): { names: string[]; scores: number[] } {
  const unlearned = storedUnlearned.parse(stored);
  const places = candidates.map(([name, score, place], at) => ({
    name,
    score: unlearned?.[at]?.[0] ?? score,
    place: unlearned?.[at]?.[1] ?? place,
  }));
  const sorted = unlearned === null ? places : places.sort((one, other) => one.place - other.place);
  return { names: sorted.map(({ name }) => name), scores: sorted.map(({ score }) => score) };
}
