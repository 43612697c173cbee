import { GatewayError } from '@gateway/errors';

/** A span of time: from its first instant (inclusive) to the one after its last, RFC 3339, UTC. */
export interface UsageSpan {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
/** A year and a bit: the log is kept for a year at most. */
const daysMax = 400;

/** The same instant, in UTC. */
export function asUtc(instant: string): string {
  return new Date(instant).toISOString();
}

/** The calendar month, UTC, which is the billing period. */
export function chooseBillingPeriod(nowMs: number): UsageSpan {
  const now = new Date(nowMs);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    from: new Date(Date.UTC(year, month)).toISOString(),
    to: new Date(Date.UTC(year, month + 1)).toISOString(),
  };
}

/** The last days, UTC, of which today is one. */
export function chooseLastDays(days: number, nowMs: number): UsageSpan {
  const tomorrow = (Math.floor(nowMs / dayMs) + 1) * dayMs;
  return { from: new Date(tomorrow - days * dayMs).toISOString(), to: new Date(tomorrow).toISOString() };
}

/** What was asked for, and of the default what was not. Throws `invalid_field` for a span that is empty or too long. */
export function chooseSpan(
  asked: { from?: string | undefined; to?: string | undefined },
  byDefault: UsageSpan,
): UsageSpan {
  const to = asUtc(asked.to ?? byDefault.to);
  const from = asUtc(asked.from ?? byDefault.from);
  const lengthMs = Date.parse(to) - Date.parse(from);
  const param = asked.to === undefined ? 'from' : 'to';
  if (lengthMs <= 0) {
    throw new GatewayError('invalid_field', {
      param,
      message: `"from" (${from}) has to be before "to" (${to}).`,
    });
  }
  if (lengthMs > daysMax * dayMs) {
    throw new GatewayError('invalid_field', { param, message: `A span has ${daysMax} days at most.` });
  }
  return { from, to };
}

/** Every day of a span, `YYYY-MM-DD`: those that have nothing to tell get what `renderEmpty` makes. */
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
