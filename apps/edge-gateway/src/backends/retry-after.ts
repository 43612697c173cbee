import type { IncomingHeaders } from '@gateway/providers';

/** What a provider asks for is believed up to this. */
const waitMsMax = 10 * 60_000;

/**
 * Milliseconds that a provider asks to wait: `retry-after-ms`, else `retry-after` in seconds or as a date (RFC 9110
 * §10.2.3). Undefined where it says nothing that can be read.
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
