/** A calendar month, UTC: from its first instant (inclusive) to the next month's (exclusive). */
export interface Period {
  readonly start: Date;
  readonly end: Date;
}

/** The billing period of an instant. */
export function choosePeriod(at: Date): Period {
  const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** The first instant of the month so many months before a period. */
export function chooseHistoryStart({ start }: Period, months: number): Date {
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - months));
}
