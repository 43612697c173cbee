import {
  listDailyAnalytics as listDailyAnalyticsContract,
  listDailyUsage as listDailyUsageContract,
  listKeyUsage as listKeyUsageContract,
  listSessions as listSessionsContract,
  reportCache as reportCacheContract,
  summarizeUsage as summarizeUsageContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { TELEMETRY_DATABASE, type TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { listDailyAnalytics } from './analytics.ts';
import { reportCache } from './cache.ts';
import { listDailyUsage, listKeyUsage, listSessions, summarizeUsage } from './usage.ts';

/** Implements the contracts that query an account's usage. */
@Controller()
export class UsageController {
  readonly #database: TelemetryDatabase;

  constructor(@Inject(TELEMETRY_DATABASE) database: TelemetryDatabase) {
    this.#database = database;
  }

  @RpcHandler(summarizeUsageContract)
  summarizeUsage(
    request: ParsedRequestOf<typeof summarizeUsageContract>,
  ): Promise<ReplyOf<typeof summarizeUsageContract>> {
    return summarizeUsage(this.#database, request);
  }

  @RpcHandler(listDailyUsageContract)
  listDailyUsage(
    request: ParsedRequestOf<typeof listDailyUsageContract>,
  ): Promise<ReplyOf<typeof listDailyUsageContract>> {
    return listDailyUsage(this.#database, request);
  }

  @RpcHandler(listKeyUsageContract)
  listKeyUsage(
    request: ParsedRequestOf<typeof listKeyUsageContract>,
  ): Promise<ReplyOf<typeof listKeyUsageContract>> {
    return listKeyUsage(this.#database, request);
  }

  @RpcHandler(listDailyAnalyticsContract)
  listDailyAnalytics(
    request: ParsedRequestOf<typeof listDailyAnalyticsContract>,
  ): Promise<ReplyOf<typeof listDailyAnalyticsContract>> {
    return listDailyAnalytics(this.#database, request);
  }

  @RpcHandler(reportCacheContract)
  reportCache(
    request: ParsedRequestOf<typeof reportCacheContract>,
  ): Promise<ReplyOf<typeof reportCacheContract>> {
    return reportCache(this.#database, request);
  }

  @RpcHandler(listSessionsContract)
  listSessions(
    request: ParsedRequestOf<typeof listSessionsContract>,
  ): Promise<ReplyOf<typeof listSessionsContract>> {
    return listSessions(this.#database, request);
  }
}
