import { GatewayError } from '@gateway/errors';

/**
 * A time span with RFC 3339 bounds in UTC. The bound `from` is inclusive, and the bound `to` is exclusive.
 */
export interface UsageSpan {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
/**
 * Maximum length of a time span in days. A longer span would be useless, because the request log is kept for at
 * most a year.
 */
const daysMax = 400;

/** Converts a point in time to UTC. */
export function asUtc(instant: string): string {
  return new Date(instant).toISOString();
}

/** Returns the current billing period, which is the calendar month in UTC. */
export function chooseBillingPeriod(nowMs: number): UsageSpan {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    from: new Date(Date.UTC(year, month)).toISOString(),
    to: new Date(Date.UTC(year, month + 1)).toISOString(),
  };
}

/** Returns the time span of the last `days` days in UTC, including today. */
export function chooseLastDays(days: number, nowMs: number): UsageSpan {
  const tomorrow = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  return { from: new Date(tomorrow - days * dayMs).toISOString(), to: new Date(tomorrow).toISOString() };
}

/**
 * Replaces missing bounds of a time span with the default bounds. Throws `invalid_field` if the time span is
 * empty or too long.
 */
export function chooseSpan(
  given: { from?: string | undefined; to?: string | undefined },
  byDefault: UsageSpan,
): UsageSpan {
  const to = asUtc(given.to ?? byDefault.to);
  const from = asUtc(given.from ?? byDefault.from);
  const lengthMs = Date.parse(to) - Date.parse(from);
  const param = given.to === undefined ? 'from' : 'to';
  if (lengthMs <= 0) {
    throw new GatewayError('invalid_field', {
      param,
      message: `"from" (${from}) must be before "to" (${to}).`,
    });
  }
  if (lengthMs > daysMax * dayMs) {
    throw new GatewayError('invalid_field', { param, message: `A span may have at most ${daysMax} days.` });
  }
  return { from, to };
}

/**
 * Returns one entry for every day in a time span (`YYYY-MM-DD`). The function `renderEmpty` creates entries
 * for missing days.
 */
export function fillDays<Day extends { date: string }>(
  { from, to }: UsageSpan,
  days: readonly Day[],
  renderEmpty: (date: string) => Day,
): Day[] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const filled: Day[] = [];
  for (let timeMs = Date.parse(from); timeMs < Date.parse(to); timeMs += dayMs) {
    const date = new Date(timeMs).toISOString().slice(0, 10);
    filled.push(byDate.get(date) ?? renderEmpty(date));
  }
  return filled;
}
