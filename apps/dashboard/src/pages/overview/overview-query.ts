import type { UsageFilter } from '../../api/usage.ts';

/** The time ranges of the page, in UTC days including today. */
export const dayRanges = [1, 7, 30, 90] as const;
const defaultDays = 7;

interface OverviewQuery {
  readonly days: number;
  readonly filter: UsageFilter;
}

/** Parses the time range and the filters in the address of the page. Ignores unknown values. */
export function parseOverviewQuery(params: URLSearchParams): OverviewQuery {
  const wanted = Number(params.get('days'));
  const days = dayRanges.find((range) => range === wanted) ?? defaultDays;
  const filter: UsageFilter = {
    ...pick(params, 'key_id'),
    ...pick(params, 'model'),
    ...pick(params, 'session_id'),
  };
  return { days, filter };
}

function pick<Name extends string>(params: URLSearchParams, name: Name): Partial<Record<Name, string>> {
  const value = params.get(name);
  return value === null || value === '' ? {} : ({ [name]: value } as Record<Name, string>);
}
