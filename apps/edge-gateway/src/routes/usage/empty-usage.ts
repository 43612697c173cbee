import type { AnalyticsDay, UsageDay, UsageFigures } from '@gateway/contracts';

/** Usage totals for zero requests. The cost is known to be zero, and nothing was saved. */
export const noUsage: UsageFigures = {
  requests: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  total_tokens: 0,
  cached_tokens: 0,
  tools_in: 0,
  tools_out: 0,
  tool_tokens_saved: null,
  estimated_tokens_saved: 0,
  compression_tokens_saved: 0,
  total_tokens_saved: 0,
  recovery_tokens: 0,
  recovery_tokens_deducted: 0,
  net_tokens_saved: 0,
  cost_usd: 0,
  unpriced_requests: 0,
  provider_savings_usd: null,
};

export function renderEmptyDay(date: string): UsageDay {
  return { object: 'usage.day', date, ...noUsage };
}

export function renderEmptyAnalyticsDay(date: string): AnalyticsDay {
  return {
    object: 'usage.analytics_day',
    date,
    ...noUsage,
    gross_savings_usd: null,
    sessions: 0,
    statuses: { ok: 0, error: 0, cancelled: 0, truncated: 0, interrupted: 0 },
    pruned_requests: 0,
    first_byte_p50_ms: null,
    first_byte_p95_ms: null,
    total_p50_ms: null,
    total_p95_ms: null,
    overhead_p50_ms: null,
    overhead_p95_ms: null,
    models: [],
  };
}
