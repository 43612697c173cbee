import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { AssessToolsHandler } from './assess-tools/assess-tools.handler.ts';
import { WORKER_CONTEXT, type WorkerContext } from './domain/worker-context.ts';
import { ForgetAccountHandler } from './forget-account/forget-account.handler.ts';
import { CalibrateAdapter } from './jobs/calibrate/calibrate.adapter.ts';
import { ExpireAdapter } from './jobs/expire/expire.adapter.ts';
import { ShipLedgerAdapter } from './jobs/ship-ledger/ship-ledger.adapter.ts';
import { WriteRequestLogProcessor } from './jobs/write-request-log/write-request-log.processor.ts';
import { PartitionUpkeepAdapter } from './persistence/partition-upkeep.adapter.ts';
import { DescribeCalibrationHandler } from './queries/describe-calibration/describe-calibration.handler.ts';
import { ExportRequestsHandler } from './queries/export-requests/export-requests.handler.ts';
import { GetRequestHandler } from './queries/get-request/get-request.handler.ts';
import { GetRoutingPolicyHandler } from './queries/get-routing-policy/get-routing-policy.handler.ts';
import { ListRequestsHandler } from './queries/list-requests/list-requests.handler.ts';
import { ListDailyAnalyticsHandler } from './queries/list-daily-analytics/list-daily-analytics.handler.ts';
import { ListDailyUsageHandler } from './queries/list-daily-usage/list-daily-usage.handler.ts';
import { ListKeyUsageHandler } from './queries/list-key-usage/list-key-usage.handler.ts';
import { ListRecallAlertsHandler } from './queries/list-recall-alerts/list-recall-alerts.handler.ts';
import { ListRoutingTracesHandler } from './queries/list-routing-traces/list-routing-traces.handler.ts';
import { ListToolHealthHandler } from './queries/list-tool-health/list-tool-health.handler.ts';
import { ListToolSuggestionsHandler } from './queries/list-tool-suggestions/list-tool-suggestions.handler.ts';
import { ObserveModelsHandler } from './queries/observe-models/observe-models.handler.ts';
import { ListSessionsHandler } from './queries/list-sessions/list-sessions.handler.ts';
import { ReadContentHandler } from './queries/read-content/read-content.handler.ts';
import { SummarizeUsageHandler } from './queries/summarize-usage/summarize-usage.handler.ts';
import { StoreContentHandler } from './store-content/store-content.handler.ts';

@Module({})
export class WorkerModule implements OnApplicationShutdown {
  readonly #context: WorkerContext;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
  }

  static with(context: WorkerContext): DynamicModule {
    return {
      module: WorkerModule,
      providers: [
        { provide: WORKER_CONTEXT, useValue: context },
        WriteRequestLogProcessor,
        ShipLedgerAdapter,
        PartitionUpkeepAdapter,
        CalibrateAdapter,
        ExpireAdapter,
      ],
      controllers: [
        ListRequestsHandler,
        GetRequestHandler,
        ExportRequestsHandler,
        ListDailyAnalyticsHandler,
        ListDailyUsageHandler,
        ListKeyUsageHandler,
        ListSessionsHandler,
        SummarizeUsageHandler,
        ListRecallAlertsHandler,
        ListRoutingTracesHandler,
        ListToolHealthHandler,
        ObserveModelsHandler,
        AssessToolsHandler,
        ListToolSuggestionsHandler,
        GetRoutingPolicyHandler,
        DescribeCalibrationHandler,
        ForgetAccountHandler,
        StoreContentHandler,
        ReadContentHandler,
      ],
    };
  }

  /** Comes after the processor's end, which still needs both. */
  async onApplicationShutdown(): Promise<void> {
    this.#context.queueRedis.disconnect();
    await this.#context.database.close();
  }
}
