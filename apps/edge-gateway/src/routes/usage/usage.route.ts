import type {
  AnalyticsDay,
  AnalyticsHour,
  AnalyticsTotals,
  KeyUsage,
  UsageCache,
  UsageDay,
  UsageFigures,
  UsageSession,
  UsageSummary,
} from '@gateway/contracts';
import {
  analyticsQuery,
  cacheQuery,
  daysQuery,
  listDailyAnalytics,
  listDailyUsage,
  listKeyUsage,
  listKeys,
  listSessions,
  reportCache,
  sessionsQuery,
  spanQuery,
  summarizeUsage,
} from '@gateway/contracts';
import { invalidField } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, CountAs, Describe } from '../../openapi/operation.ts';
import { parseQuery } from '../../request/validate-input.ts';
import type { UsageSpan } from '../../request/usage-span.ts';
import { chooseBillingPeriod, chooseLastDays, chooseSpan, fillDays } from '../../request/usage-span.ts';
import * as operations from './usage.operations.ts';

const sessionDaysDefault = 30;

interface List<Item> {
  readonly object: 'list';
  readonly data: readonly Item[];
}

interface SessionPage extends List<UsageSession> {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

interface Analytics extends List<AnalyticsDay>, UsageSpan {
  readonly totals: AnalyticsTotals | null;
  readonly hours: readonly AnalyticsHour[] | null;
}

/**
 * Serves `/v1/account/usage` (alias `/v1/usage`) and `/v1/account/sessions`, with totals calculated from the
 * request log.
 */
@Controller()
@AllowAccess('api-key-or-session')
@CountAs('analytics')
export class UsageRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get(['/v1/account/usage/summary', '/v1/usage/summary'])
  @Describe(operations.summarizeUsage)
  async summarize(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<UsageSummary> {
    const span = chooseSpan(parseQuery(spanQuery, query), chooseBillingPeriod(Date.now()));
    const { figures } = await this.#messaging.call(summarizeUsage, { accountId, ...span });
    return { object: 'usage.summary', ...span, ...figures };
  }

  @Get(['/v1/account/usage/daily', '/v1/usage/daily'])
  @Describe(operations.listDailyUsage)
  async listDays(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<List<UsageDay>> {
    const span = chooseLastDays(parseQuery(daysQuery, query).days, Date.now());
    const { days } = await this.#messaging.call(listDailyUsage, { accountId, ...span });
    return { object: 'list', data: fillDays(span, days, renderEmptyDay) };
  }

  @Get('/v1/account/usage/by-key')
  @Describe(operations.listKeyUsage)
  async listKeys(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<List<KeyUsage> & { period_start: string; period_end: string }> {
    const span = chooseSpan(parseQuery(spanQuery, query), chooseBillingPeriod(Date.now()));
    const [used, named] = await Promise.all([
      this.#messaging.call(listKeyUsage, { accountId, ...span }),
      this.#messaging.call(listKeys, { accountId }),
    ]);
    const names = new Map(named.keys.map(({ id, name }) => [id, name]));
    const data: KeyUsage[] = used.keys.map((key) => ({ ...key, name: names.get(key.key_id) ?? null }));
    for (const { key_id } of data) names.delete(key_id);
    for (const [key_id, name] of names) data.push({ object: 'usage.key', key_id, name, ...noUsage });
    return { object: 'list', data, period_start: span.from, period_end: span.to };
  }

  @Get('/v1/account/usage/cache')
  @Describe(operations.reportCache)
  async reportCache(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<UsageCache> {
    const { session_id: sessionId = null, ...given } = parseQuery(cacheQuery, query);
    const span = chooseSpan(given, chooseBillingPeriod(Date.now()));
    const { figures } = await this.#messaging.call(reportCache, { accountId, ...span, sessionId });
    return { object: 'usage.cache', ...span, ...figures };
  }

  @Get('/v1/account/sessions')
  @Describe(operations.listSessions)
  async listSessions(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<SessionPage> {
    const { limit, offset, ...given } = parseQuery(sessionsQuery, query);
    const span = chooseSpan(given, chooseLastDays(sessionDaysDefault, Date.now()));
    const call = { accountId, ...span, limit, offset };
    const { sessions, total } = await this.#messaging.call(listSessions, call);
    return { object: 'list', data: sessions, total, limit, offset };
  }

  @Get('/v1/account/usage/analytics/daily')
  @AllowAccess('session')
  @Describe(operations.listDailyAnalytics)
  analyzeForUser(@FromCaller() caller: AccountCaller, @Query() query: unknown): Promise<Analytics> {
    return this.#analyze(caller, query);
  }

  @Get('/v1/usage/analytics/daily')
  @AllowAccess('api-key')
  @Describe(operations.listDailyAnalyticsByKey)
  analyzeForScript(@FromCaller() caller: AccountCaller, @Query() query: unknown): Promise<Analytics> {
    return this.#analyze(caller, query);
  }

  async #analyze({ accountId }: AccountCaller, query: unknown): Promise<Analytics> {
    const { days: count, interval, ...filter } = parseQuery(analyticsQuery, query);
    const hasHours = interval === 'hour';
    if (hasHours && count !== 1) throw invalidField('days', '1 with "interval=hour"');
    const now = Date.now();
    const span = chooseLastDays(count, now);
    const call = { accountId, ...span, filter, hasHours };
    const { days, totals, hours } = await this.#messaging.call(listDailyAnalytics, call);
    const data = fillDays(span, days, renderEmptyAnalyticsDay);
    return { object: 'list', data, ...span, totals, hours: hours && fillHours(span.from, hours, now) };
  }
}

/** Usage totals with zero requests. */
const noUsage: UsageFigures = {
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

function renderEmptyDay(date: string): UsageDay {
  return { object: 'usage.day', date, ...noUsage };
}

/** Dashboard figures of a day or an hour without requests. */
const noAnalytics: Omit<AnalyticsHour, 'object' | 'hour'> = {
  ...noUsage,
  gross_savings_usd: null,
  sessions: 0,
  statuses: { ok: 0, error: 0, cancelled: 0, truncated: 0, interrupted: 0 },
  pruned_requests: 0,
  ...{ first_byte_p50_ms: null, first_byte_p95_ms: null, total_p50_ms: null, total_p95_ms: null },
  ...{ overhead_p50_ms: null, overhead_p95_ms: null },
};

function renderEmptyAnalyticsDay(date: string): AnalyticsDay {
  return { object: 'usage.analytics_day', date, ...noAnalytics, models: [] };
}

const hourMs = 3_600_000;

/** Returns one entry for every hour from the start of a day until now. Hours without requests have no usage. */
function fillHours(from: string, hours: readonly AnalyticsHour[], now: number): AnalyticsHour[] {
  const byHour = new Map(hours.map((each) => [each.hour, each]));
  const count = Math.floor((now - Date.parse(from)) / hourMs) + 1;
  return Array.from({ length: count }, (_, at) => {
    const hour = new Date(Date.parse(from) + at * hourMs).toISOString();
    return byHour.get(hour) ?? { object: 'usage.analytics_hour', hour, ...noAnalytics };
  });
}
