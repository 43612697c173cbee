import { unknown } from './numbers.ts';

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'full',
  timeStyle: 'long',
});
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const units = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;

/** An RFC 3339 time in the reader's zone. */
export function formatTime(value: string | null | undefined): string {
  return value === null || value === undefined ? unknown : moments.format(new Date(value));
}

/** The same with seconds and the zone's name. */
export function formatExactTime(value: string): string {
  return exact.format(new Date(value));
}

export function formatDate(value: string | null | undefined): string {
  return value === null || value === undefined ? unknown : dates.format(new Date(value));
}

/** A UTC day such as `2026-11-20`, which is the same day wherever it is read. */
export function formatUtcDay(day: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/** `3 minutes ago`, `in 2 days`; within a minute `now`. */
export function formatAgo(value: string, nowMs: number): string {
  const offMs = new Date(value).getTime() - nowMs;
  const found = units.find(({ ms }) => Math.abs(offMs) >= ms);
  return found ? relative.format(Math.round(offMs / found.ms), found.unit) : relative.format(0, 'second');
}
