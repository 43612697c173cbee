import {
  isChat,
  isServed,
  overlapMs,
  type CausedFault,
  type History,
  type LogRow,
  type Operation,
} from '../history.ts';

/** The token counts in each of the recording provider's responses. */
export const expectedTokens = { prompt: 1_000, completion: 100 } as const;

const countBy = (rows: readonly LogRow[]): Map<string, LogRow[]> => Map.groupBy(rows, ({ id }) => id);

/** Returns all accounts that a client tried to delete, because their log rows may be missing. */
function listDeletedAccounts({ operations }: History): Set<string> {
  return new Set(
    operations.filter(({ kind }) => kind === 'account-delete').map(({ accountId }) => accountId),
  );
}

/** Each request that was served or forwarded to a provider has exactly one request log row. */
export function everyAcceptedRequestHasOneRow(history: History): string[] {
  const deleted = listDeletedAccounts(history);
  const chats = history.operations.filter((each) => isChat(each) && !deleted.has(each.accountId));
  const forwarded = new Set(history.upstream.map(({ operation }) => operation));
  const rowsByOperation = Map.groupBy(history.rows, ({ operation }) => operation);
  const broken: string[] = [];
  for (const operation of chats) {
    const rows = rowsByOperation.get(operation.id) ?? [];
    if (rows.length > 1) broken.push(`${operation.id} has ${rows.length} rows`);
    if (rows.length === 0 && isServed(operation)) broken.push(`${operation.id} was served, but has no row`);
    else if (rows.length === 0 && forwarded.has(operation.id))
      broken.push(`${operation.id} was forwarded, but has no row`);
    const [row] = rows;
    if (row && isServed(operation) && row.id !== operation.requestId)
      broken.push(`${operation.id} has the row ${row.id} instead of ${operation.requestId}`);
  }
  for (const [id, rows] of countBy(history.rows)) if (rows.length > 1) broken.push(`${id} has several rows`);
  return broken;
}

/**
 * A served request's row has the status `ok` and the provider's token counts. If the edge fails at the end of
 * a response, the status may be `interrupted`.
 */
export function rowsHaveStatusAndTokens(history: History): string[] {
  const rows = new Map(history.rows.map((row) => [row.operation, row]));
  return history.operations.filter(isChat).flatMap((operation) => {
    const row = rows.get(operation.id);
    if (!row || !isServed(operation)) return [];
    if (row.status === 'interrupted' && wasEdgeKilled(history.faults, operation)) return [];
    if (row.status !== 'ok') return [`${operation.id} was served, but its row has the status ${row.status}`];
    const { prompt, completion } = expectedTokens;
    if (row.promptTokens === prompt && row.completionTokens === completion) return [];
    return [`${operation.id} has the tokens ${row.promptTokens} and ${row.completionTokens}`];
  });
}

/** The maximum time in milliseconds from the end of a request until the process has written the end to its spool. */
const spoolMs = 1_000;

function wasEdgeKilled(faults: readonly CausedFault[], { edge, startMs, endMs }: Operation): boolean {
  return faults.some(
    ({ kind, target, startedMs }) =>
      kind === 'kill' && target === edge && startedMs >= startMs && startedMs <= endMs + spoolMs,
  );
}

/**
 * The ledger has exactly one entry for each row with saved tokens, and no other entries. The entries of
 * deleted accounts are stored under a pseudonym, so the check covers only remaining accounts.
 */
export function ledgerEqualsLog(history: History): string[] {
  const deleted = listDeletedAccounts(history);
  const remaining = new Set(
    history.operations.map(({ accountId }) => accountId).filter((id) => !deleted.has(id)),
  );
  const entries = Map.groupBy(
    history.ledger.filter(({ accountId }) => remaining.has(accountId)),
    ({ requestId }) => requestId,
  );
  const broken: string[] = [];
  for (const row of history.rows) {
    if (deleted.has(row.accountId)) continue;
    const found = entries.get(row.id) ?? [];
    entries.delete(row.id);
    const expected = row.toolsSaved + row.compressionSaved > 0 ? 1 : 0;
    if (found.length !== expected)
      broken.push(`${row.id} has ${found.length} ledger entries instead of ${expected}`);
    const [entry] = found;
    if (entry && (entry.toolsSaved !== row.toolsSaved || entry.compressionSaved !== row.compressionSaved))
      broken.push(`the ledger entry of ${row.id} differs from its row`);
  }
  for (const id of entries.keys()) broken.push(`the ledger entry of ${id} has no row`);
  return broken;
}

/** Returns how many milliseconds of an operation the edge was stopped or the machine was busy. */
export function excusedMs(history: History, { edge, startMs, endMs }: Operation): number {
  const stopped = history.faults
    .filter(({ kind, target }) => kind === 'stop' && target === edge)
    .map((fault) => ({ startMs: fault.startedMs, endMs: fault.endedMs }));
  return overlapMs(startMs, endMs, [...stopped, ...history.stalls]);
}
