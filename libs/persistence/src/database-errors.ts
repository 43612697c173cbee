import { GatewayError } from '@gateway/errors';

/**
 * Prisma error codes that mean the database is unreachable, overloaded or disconnected. In the Prisma error
 * reference, P1xxx codes concern the connection, and P2024 is a time-out of the connection pool. P2028 is a
 * transaction that could not start or was lost, and P2037 means too many connections. Wrong credentials
 * (P1000, P1010) are included, because for callers the database is then unavailable.
 */
const unavailable = /^(P10(00|01|02|08|10|11|17)|P2024|P2028|P2037)$/;
/**
 * Driver and operating system errors that mean the database is unreachable, overloaded or disconnected
 * (SQLSTATE classes 08, 53 and 57P).
 */
const unavailableBelow =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08...|53...|57P0.)$/;
const unavailableText =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/;

/** Whether the error means that the row violates a unique constraint. */
export function isUniqueConflict(error: unknown): boolean {
  return codeOf(error) === 'P2002';
}

/** Whether the error means that the row refers to a row that does not exist. */
export function isForeignKeyConflict(error: unknown): boolean {
  return codeOf(error) === 'P2003';
}

/** Whether the error means that the row to update or delete does not exist. */
export function isMissingRow(error: unknown): boolean {
  return codeOf(error) === 'P2025';
}

/**
 * Whether the error means that the transaction conflicts with another transaction and can be retried as a
 * whole.
 */
export function isWriteConflict(error: unknown): boolean {
  return codeOf(error) === 'P2034';
}

/** Whether the error was caused by the database and not by the query. */
export function isUnavailable(error: unknown): boolean {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = codeOf(at);
    if (code !== undefined && (unavailable.test(code) || unavailableBelow.test(code))) return true;
    if (unavailableText.test(at.message)) return true;
  }
  return false;
}

/**
 * Maps a database error for callers: `service_unavailable` if the database is unavailable, otherwise the
 * original error.
 */
export function mapDatabaseError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new GatewayError('service_unavailable', { detail, cause: error, retryAfterMs: 1000 });
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * The SQLSTATE of a raw query that Postgres rejected (Postgres manual, appendix A); undefined for any other
 * error.
 */
export function sqlStateOf(error: unknown): string | undefined {
  const meta = (error as { meta?: { driverAdapterError?: { cause?: { originalCode?: unknown } } } } | null)
    ?.meta;
  const code = meta?.driverAdapterError?.cause?.originalCode;
  return typeof code === 'string' ? code : undefined;
}
