import type { UsageFilter } from '../../api/usage.ts';

/** Ranges that the page offers, in UTC days with today. */
export const dayRanges = [1, 7, 30, 90] as const;
const byDefault = 7;

export interface OverviewQuery {
  readonly days: number;
  readonly filter: UsageFilter;
}

/** What the address asks for. */
export function parseOverviewQuery(params: URLSearchParams): OverviewQuery {
  const asked = Number(params.get('days'));
  const days = dayRanges.find((range) => range === asked) ?? byDefault;
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

/** The address with one part of it changed; null takes it away. */
export function changeParam(params: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const changed = new URLSearchParams(params);
  if (value === null || value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}
