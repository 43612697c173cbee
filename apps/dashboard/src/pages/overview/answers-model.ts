import type { ApiKey } from '../../api/keys.ts';
import type { Provider } from '../../api/providers.ts';
import type { AnalyticsTotals } from '../../api/usage.ts';
import { formatNumberOf, formatShare } from '../../lib/format.ts';
import { sumTokensSaved, type Savings } from '../../lib/savings.ts';

/** The number of tokens saved on several days. Null if the number is unknown for a day with requests. */
export function sumSaved(days: readonly (Savings & { readonly requests: number | null })[]): number | null {
  return days
    .filter(({ requests }) => requests !== 0)
    .map(sumTokensSaved)
    .reduce<number | null>((sum, saved) => (sum === null || saved === null ? null : sum + saved), 0);
}

/** Compares the saved tokens with the previous period of the same length. */
export function compareSaved(saved: number | null, before: number | null, days: number): string {
  const period = days === 1 ? 'yesterday' : `in the previous ${days} days`;
  if (saved === null || before === null)
    return `No comparison with ${days === 1 ? 'yesterday' : `the previous ${days} days`}.`;
  if (before <= 0) return saved > 0 ? `Nothing was saved ${period}.` : `Nothing was saved ${period} either.`;
  const change = saved / before - 1;
  if (Math.abs(change) < 0.005) return `As much as ${period}.`;
  return `${formatShare(Math.abs(change), 0)} ${change > 0 ? 'more' : 'less'} than ${period}.`;
}

/** A fact that needs the user's attention, and the page that shows the details. */
export interface Attention {
  readonly text: string;
  readonly address: string;
}

interface Observed {
  readonly totals: Pick<AnalyticsTotals, 'requests' | 'errors' | 'recall'>;
  readonly alerts: number;
  readonly providers: readonly Pick<Provider, 'display_name' | 'last_error'>[];
  readonly keys: readonly Pick<ApiKey, 'name' | 'expires_at'>[];
  readonly nowMs: number;
}

const soonMs = 7 * 86_400_000;

/** Lists the facts that need attention, the most urgent first. */
export function listAttention({ totals, alerts, providers, keys, nowMs }: Observed): readonly Attention[] {
  const { errors, recall } = totals;
  const failing = providers.filter(({ last_error }) => last_error !== null);
  const expiring = keys.filter(({ expires_at }) => {
    const leftMs = expires_at === null ? Infinity : Date.parse(expires_at) - nowMs;
    return leftMs > 0 && leftMs < soonMs;
  });
  const { high } = recall.effective;
  const isMissed = recall.target !== null && high !== null && high < recall.target;
  return [
    ...failing.map(({ display_name: name, last_error }) => ({
      text: `${name}: ${last_error ?? ''}`,
      address: '/providers',
    })),
    ...(isMissed
      ? [{ text: 'The effective recall misses its target.', address: '/routing?tab=calibration' }]
      : []),
    ...(errors !== null && errors > 0
      ? [{ text: formatNumberOf(errors, 'failed request'), address: '/requests?status=error' }]
      : []),
    ...(alerts > 0
      ? [
          {
            text: `${formatNumberOf(alerts, 'call')} to pruned tools (recall alerts)`,
            address: '/tool-health?tab=alerts',
          },
        ]
      : []),
    ...expiring.map(({ name }) => ({ text: `The key “${name}” expires within a week.`, address: '/keys' })),
  ];
}
