import { GatewayError } from '@gateway/errors';

/**
 * Prisma's codes for a database that cannot be reached, is too busy, or cut the line (Prisma error reference: P1xxx are
 * of the connection, P2024 is a pool time-out, P2028 a transaction that could not start or was lost, P2037 too many
 * connections). A wrong password (P1000, P1010) is among them: to a caller the database is away.
 */
const unavailable = /^(P10(00|01|02|08|10|11|17)|P2024|P2028|P2037)$/;
/** The same, as the driver and the operating system say it (SQLSTATE classes 08, 53 and 57P). */
const unavailableBelow =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08...|53...|57P0.)$/;
const unavailableText =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/;

/** A row that would break a unique constraint. */
export function isUniqueConflict(error: unknown): boolean {
  return codeOf(error) === 'P2002';
}

/** A row that would refer to one that is not there. */
export function isForeignKeyConflict(error: unknown): boolean {
  return codeOf(error) === 'P2003';
}

/** An update or a deletion of a row that is not there. */
export function isMissingRow(error: unknown): boolean {
  return codeOf(error) === 'P2025';
}

/** A transaction that lost against another one and may be run again, whole. */
export function isWriteConflict(error: unknown): boolean {
  return codeOf(error) === 'P2034';
}

/** True when the database, and not the query, is at fault. */
export function isUnavailable(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = codeOf(at);
    if (code !== undefined && (unavailable.test(code) || unavailableBelow.test(code))) return true;
    if (unavailableText.test(at.message)) return true;
  }
  return false;
}

/** What callers get: `service_unavailable` when the database is away; otherwise the error as it is. */
export function mapDatabaseError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new GatewayError('service_unavailable', { detail, cause: error, retryAfterMs: 1000 });
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The SQLSTATE with which Postgres refused a raw query (its manual, appendix A); undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const meta = (error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } } | null)
    ?.meta;
  const code = meta?.driverAdapterError?.cause?.originalCode;
  return typeof code === 'string' ? code : undefined;
}
