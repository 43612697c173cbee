const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A calendar month, UTC: its first and its last day. `end` is exclusive. */
export function formatPeriod({ start, end }: { readonly start: string; readonly end: string }): string {
  return day.formatRange(new Date(start), new Date(new Date(end).getTime() - 1));
}
