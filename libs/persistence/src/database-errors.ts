import { GatewayError } from '@gateway/errors';

/**
 * Prisma error codes that mean the database is unreachable, overloaded or disconnected. In the Prisma error
 * reference, P1xxx codes concern the connection, and P2024 is a time-out of the connection pool. P2028 means
 * that a transaction could not start or was lost, and P2037 means that there are too many connections. Wrong
 * credentials (P1000, P1010) are included, because for callers the database is then unavailable.
 */
const unavailable = /^(P10(00|01|02|08|10|11|17)|P2024|P2028|P2037)$/;
/**
 * Driver and operating system errors that mean the database is unreachable, overloaded or disconnected
 * (SQLSTATE classes 08, 53 and 57P). The list includes the errors of a query that waited too long, which are
 * 57014 (statement time-out), 55P03 (lock time-out) and 25P03 (idle transaction). The code 25006 means that
 * the server is a read-only standby.
 */
const unavailableBelow =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08...|53...|57P0.|57014|55P03|25P03|25006)$/;
/** The types of errors for which Prisma's driver adapter omits the code of the driver. */
const unavailableKind = /^(DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)$/;
const unavailableText =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|Client has encountered a connection error/;

/** Whether the error means that the row violates a unique constraint. */
export function isUniqueConflict(error: unknown): boolean {
  return codeOf(error) === 'P2002';
}

/** Whether the error means that the row contains a reference to a missing row. */
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
  return layersOf(error).some(
    ({ code, originalCode, kind, message }) =>
      matches(unavailable, code) ||
      matches(unavailableBelow, code) ||
      matches(unavailableBelow, originalCode) ||
      matches(unavailableKind, kind) ||
      matches(unavailableText, message),
  );
}

/** The fields that are read from an error and from each of its causes. */
interface ErrorLayer {
  readonly code?: unknown;
  /** The SQLSTATE. Only causes from Prisma's driver adapter have this field. */
  readonly originalCode?: unknown;
  /** The type of error. Only causes from Prisma's driver adapter have this field. */
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/** Maximum number of causes that are read, because causes can form a loop. */
const layersMax = 5;

/** Lists an error and its causes, outermost first. Prisma's errors have their cause in `meta`. */
function layersOf(error: unknown): readonly ErrorLayer[] {
  const layers: ErrorLayer[] = [];
  let at = error;
  while (typeof at === 'object' && at !== null && layers.length < layersMax) {
    const layer: ErrorLayer = at;
    layers.push(layer);
    at = layer.meta?.driverAdapterError ?? layer.cause;
  }
  return layers;
}

function matches(pattern: RegExp, value: unknown): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** Returns `service_unavailable` if the database is unavailable. Otherwise, returns the original error. */
export function mapDatabaseError(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new GatewayError('service_unavailable', { detail, cause: error, retryAfterMs: 1000 });
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The SQLSTATE of an error from Postgres (Postgres manual, appendix A), or undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  const state = layersOf(error).find(({ originalCode }) => typeof originalCode === 'string')?.originalCode;
  return typeof state === 'string' ? state : undefined;
}
