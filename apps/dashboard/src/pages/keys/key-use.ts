import { useKeyUsage, type KeyUsage } from '../../api/usage.ts';
import { useNow } from '../../lib/time.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const periodDays = 30;

/** The use of the account's keys, by the id of the key. Undefined while the figures are loading. */
export interface KeyUse {
  /** The last 30 days, including today. */
  readonly period: ReadonlyMap<string, KeyUsage> | undefined;
  /** Today in UTC, which is the day to which the daily budget applies. */
  readonly today: ReadonlyMap<string, KeyUsage> | undefined;
}

/** Loads the use of the account's keys. The figures are refreshed every minute. */
export function useKeyUse(): KeyUse {
  const minute = Math.floor(useNow() / minuteMs) * minuteMs;
  const midnight = Math.floor(minute / dayMs) * dayMs;
  const to = new Date(minute + minuteMs).toISOString();
  const period = useKeyUsage({ from: new Date(midnight - (periodDays - 1) * dayMs).toISOString(), to });
  const today = useKeyUsage({ from: new Date(midnight).toISOString(), to });
  return { period: indexById(period.data?.data), today: indexById(today.data?.data) };
}

function indexById(usage: readonly KeyUsage[] | undefined): ReadonlyMap<string, KeyUsage> | undefined {
  return usage === undefined ? undefined : new Map(usage.map((each) => [each.key_id, each]));
}

type UseField = 'requests' | 'cost_usd' | 'net_tokens_saved';

/** Reads a figure of a key. A key without requests has no usage, so its figures are zero. */
export function readUse(
  usage: ReadonlyMap<string, KeyUsage> | undefined,
  keyId: string,
  field: UseField,
): number | null | undefined {
  if (usage === undefined) return undefined;
  const found = usage.get(keyId);
  return found === undefined ? 0 : found[field];
}
