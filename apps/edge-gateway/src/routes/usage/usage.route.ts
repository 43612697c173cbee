import {
  analyticsQuery,
  cacheQuery,
  daysQuery,
  listDailyAnalytics,
  listDailyUsage,
  listKeys,
  listKeyUsage,
  listSessions,
  reportCache,
  sessionsQuery,
  spanQuery,
  summarizeUsage,
  type AnalyticsDay,
  type AnalyticsTotals,
  type KeyUsage,
  type UsageCache,
  type UsageDay,
  type UsageSession,
  type UsageSummary,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, CountAs, Describe } from '../../openapi/operation.ts';
import { parseInput } from '../../request/read-body.ts';
import {
  chooseBillingPeriod,
  chooseLastDays,
  chooseSpan,
  fillDays,
  type UsageSpan,
} from '../../request/usage-span.ts';
import { noUsage, renderEmptyAnalyticsDay, renderEmptyDay } from './empty-usage.ts';
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
}

/**
 * `/v1/account/usage` (alias `/v1/usage`) and `/v1/account/sessions`: totals calculated from the request log.
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
    const span = chooseSpan(parseInput(spanQuery, query), chooseBillingPeriod(Date.now()));
    const { figures } = await this.#messaging.call(summarizeUsage, { accountId, ...span });
    return { object: 'usage.summary', ...span, ...figures };
  }

  @Get(['/v1/account/usage/daily', '/v1/usage/daily'])
  @Describe(operations.listDailyUsage)
  async listDays(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<List<UsageDay>> {
    const span = chooseLastDays(parseInput(daysQuery, query).days, Date.now());
    const { days } = await this.#messaging.call(listDailyUsage, { accountId, ...span });
    return { object: 'list', data: fillDays(span, days, renderEmptyDay) };
  }

  @Get('/v1/account/usage/by-key')
  @Describe(operations.listKeyUsage)
  async listKeys(
    @FromCaller() { accountId }: AccountCaller,
    @Query() query: unknown,
  ): Promise<List<KeyUsage> & { period_start: string; period_end: string }> {
    const span = chooseSpan(parseInput(spanQuery, query), chooseBillingPeriod(Date.now()));
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
    const { session_id: sessionId = null, ...given } = parseInput(cacheQuery, query);
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
    const { limit, offset, ...given } = parseInput(sessionsQuery, query);
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
    const { days: count, ...filter } = parseInput(analyticsQuery, query);
    const span = chooseLastDays(count, Date.now());
    const { days, totals } = await this.#messaging.call(listDailyAnalytics, { accountId, ...span, filter });
    return { object: 'list', data: fillDays(span, days, renderEmptyAnalyticsDay), ...span, totals };
  }
}
