import type { ErrorCode } from '@gateway/errors';
import { GatewayError } from '@gateway/errors';
import type { IncomingHeaders } from '@gateway/providers';

/**
 * The reason why a provider call has no usable response. The failure reason is also a metric label. `server`
 * means a 5xx status, `throttled` means status 429, and `refused` means a rejected credential.
 */
export type FailureKind = 'server' | 'throttled' | 'refused' | 'unreachable' | 'timeout' | 'invalid';

/** A provider call that failed before any response byte was sent to the client. */
export interface Failure {
  readonly kind: FailureKind;
  /** Whether a retry with the same backend is likely to succeed soon. */
  readonly isPassing: boolean;
  /** The pause requested by the provider, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** Status codes of errors that the provider's server causes. Anthropic uses status 529 for "overloaded". */
const serverStatuses = new Set([408, 500, 502, 503, 504, 529]);
/**
 * Pause in milliseconds for a credential that is invalid or has no credit left. Status 403 causes no pause,
 * because the credential may still permit other calls.
 */
const refusalPauseMs: ReadonlyMap<number, number | undefined> = new Map([
  [401, 30_000],
  [402, 30_000],
  [403, undefined],
]);

/**
 * Classifies a status code as a failure that another backend might avoid. Returns undefined if the error was
 * caused by the request itself.
 */
export function failureOfStatus(status: number, headers: IncomingHeaders): Failure | undefined {
  if (status < 400) return undefined;
  if (refusalPauseMs.has(status))
    return { kind: 'refused', isPassing: false, retryAfterMs: refusalPauseMs.get(status) };
  const kind = status === 429 ? 'throttled' : serverStatuses.has(status) ? 'server' : undefined;
  if (kind === undefined) return undefined;
  return { kind, isPassing: headers['x-should-retry'] !== 'false', retryAfterMs: parseRetryAfter(headers) };
}

const failureOfCode: Partial<Record<ErrorCode, Failure>> = {
  upstream_unreachable: { kind: 'unreachable', isPassing: true, retryAfterMs: undefined },
  // The gateway does not retry a call after `UPSTREAM_TIMEOUT_MS` without a response.
  upstream_timeout: { kind: 'timeout', isPassing: false, retryAfterMs: undefined },
  upstream_invalid: { kind: 'invalid', isPassing: false, retryAfterMs: undefined },
};

/** Classifies a provider call that got no response, or only a part of a response. */
export function failureOfError(error: unknown): Failure | undefined {
  return error instanceof GatewayError ? failureOfCode[error.code] : undefined;
}

/** Upper bound for the pauses that providers request, in milliseconds. */
const waitMsMax = 10 * 60_000;

/**
 * The wait that a provider requested, in milliseconds. The wait comes from the header `retry-after-ms`, or
 * else from `retry-after` in seconds or as a date (RFC 9110 §10.2.3). Returns undefined if neither header is
 * present and valid.
 */
export function parseRetryAfter(headers: IncomingHeaders, now: number = Date.now()): number | undefined {
  const ms = firstOf(headers['retry-after-ms']);
  const seconds = firstOf(headers['retry-after']);
  const waitMs = numberOf(ms) ?? toMs(numberOf(seconds)) ?? untilDate(seconds, now);
  return waitMs === undefined ? undefined : Math.min(Math.max(waitMs, 0), waitMsMax);
}

function firstOf(value: IncomingHeaders[string]): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function toMs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1_000;
}

function untilDate(text: string | undefined, now: number): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at - now;
}
