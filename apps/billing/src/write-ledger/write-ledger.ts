import type { LedgerEntry } from '@gateway/contracts';
import { newId } from '@gateway/persistence';
import type { BillingDatabase } from '../persistence/billing-database.ts';

/**
 * A request that the ledger has already changes nothing. Entries of a forgotten account are written under a pseudonym, which
 * nobody can trace back: it is made for this batch and kept nowhere else. In the order of their ids, so that two batches
 * never wait for each other's.
 */
const insert = `
  INSERT INTO ledger_entries
    (request_id, at, account_id, key_id, estimated_tokens_saved, compression_tokens_saved)
  SELECT entry."requestId", entry.at,
    CASE WHEN forgotten.account_id IS NULL THEN entry."accountId" ELSE $2::uuid END,
    CASE WHEN forgotten.account_id IS NULL THEN entry."keyId" END,
    entry."estimatedTokensSaved", entry."compressionTokensSaved"
  FROM json_to_recordset($1::json) AS entry (
    "requestId" uuid, at timestamptz, "accountId" uuid, "keyId" uuid,
    "estimatedTokensSaved" bigint, "compressionTokensSaved" bigint
  ) LEFT JOIN forgotten_accounts AS forgotten ON forgotten.account_id = entry."accountId"
  ORDER BY entry."requestId"
  ON CONFLICT (request_id) DO NOTHING`;

/** Writes entries to the ledger, all or none, and answers how many are new. May be given the same ones any number of times. */
export function writeLedger(database: BillingDatabase, entries: readonly LedgerEntry[]): Promise<number> {
  return database.acrossAccounts.$executeRawUnsafe(insert, JSON.stringify(entries), newId());
}
