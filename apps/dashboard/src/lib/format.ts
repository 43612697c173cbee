/** Text that is shown in place of a figure that was not measured. */
export const unknown = '–';

const counts = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Formats a number as `12,345`. */
export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined ? unknown : counts.format(value);
}

/** Formats a number as `12.3K`, for narrow parts of the page. */
export function formatCompact(value: number | null | undefined): string {
  return value === null || value === undefined ? unknown : compact.format(value);
}

/** Formats a number with its noun, for example `1 request` or `2 requests`. */
export function formatNumberOf(value: number | null, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/**
 * Formats numbers of tools as `6 / 117`. The first number counts the tools sent to the provider, including
 * the recovery tool. The second number counts the tools received from the client.
 */
export function formatTools({ tools_out, tools_in }: ToolCounts): string {
  return `${formatCount(tools_out)} / ${formatCount(tools_in)}`;
}

interface ToolCounts {
  readonly tools_in: number | null;
  readonly tools_out: number | null;
}

/** Formats tokens as `12,345 tokens`, and from one million as `1.2M tokens`. */
export function formatTokens(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  return `${formatTokenNumber(value)} ${value === 1 ? 'token' : 'tokens'}`;
}

/** Formats a number of tokens without the unit, for columns with a header that names the unit. */
export function formatTokenNumber(value: number): string {
  return Math.abs(value) >= 1_000_000 ? formatCompact(value) : formatCount(value);
}

const kibibyte = 1_024;

/** Formats a number of bytes, for example `812 bytes`, `3.1 KiB` or `2 MiB`. */
export function formatBytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  if (value < kibibyte) return formatNumberOf(value, 'byte');
  const kibibytes = Number((value / kibibyte).toFixed(1));
  if (kibibytes < kibibyte) return `${kibibytes} KiB`;
  return `${Number((value / kibibyte ** 2).toFixed(1))} MiB`;
}

/** Formats US dollars with enough digits for small amounts, for example `$12.34`, `$0.0042` or `−$0.10`. */
export function formatUsd(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  const size = Math.abs(value);
  const isSmall = size > 0 && size < 0.1;
  const digits = isSmall ? Math.min(8, 1 - Math.floor(Math.log10(size))) : 2;
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: Math.min(2, digits),
    maximumFractionDigits: digits,
  });
  return format.format(value).replace('-', '−');
}

/** Formats a duration in milliseconds, for example `0.4 ms`, `320 ms`, `1.25 s` or `2 min 5 s`. */
export function formatMs(value: number | null | undefined): string {
  if (value === null || value === undefined) return unknown;
  if (value < 10) return `${Number(value.toFixed(1))} ms`;
  if (value < 1_000) return `${Math.round(value)} ms`;
  if (value < 60_000) return `${Number((value / 1_000).toFixed(2))} s`;
  const seconds = Math.round(value / 1_000);
  return `${formatCount(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

/** Formats a share between 0 and 1 as `93.4%`. */
export function formatShare(value: number | null | undefined, digits = 1): string {
  if (value === null || value === undefined) return unknown;
  return `${Number((value * 100).toFixed(digits))}%`;
}

/** The part divided by the whole. Null if the part or the whole is unknown, or if the whole is zero. */
export function shareOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}

const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const exact = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'full',
  timeStyle: 'long',
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const units = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;

/** Formats an RFC 3339 time in the reader's time zone. */
export function formatTime(value: string | null | undefined): string {
  return value === null || value === undefined ? unknown : moments.format(new Date(value));
}

/** Formats an RFC 3339 time with the weekday and the name of the time zone. */
export function formatExactTime(value: string): string {
  return exact.format(new Date(value));
}

/** Formats a UTC day such as `2026-11-20`. A formatted UTC day is the same in every time zone. */
export function formatUtcDay(day: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
}

/** Formats a time relative to now, for example `3 minutes ago`, `in 2 days`, or `now` below one minute. */
export function formatAgo(value: string, nowMs: number): string {
  const offMs = new Date(value).getTime() - nowMs;
  const found = units.find(({ ms }) => Math.abs(offMs) >= ms);
  return found ? relative.format(Math.round(offMs / found.ms), found.unit) : relative.format(0, 'second');
}
