import type { ModelObservation } from '@gateway/contracts';
import {
  assessTools as assessToolsContract,
  describeCalibration as describeCalibrationContract,
  getRoutingPolicy as getRoutingPolicyContract,
  listRecallAlerts as listRecallAlertsContract,
  listRoutingTraces as listRoutingTracesContract,
  listToolHealth as listToolHealthContract,
  listToolSuggestions as listToolSuggestionsContract,
  observeModels as observeModelsContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { queryAccountLog } from '../../persistence/account-log.ts';
import type { TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { TELEMETRY_DATABASE } from '../../persistence/telemetry-database.ts';
import { isPrunedByPlan, listRecallAlerts, listRoutingTraces } from './routing-decisions.ts';
import { assessTools } from '../../assess-tools/assess-tools.ts';
import type { ReadMeanings } from '../../assess-tools/meanings.ts';
import { READ_MEANINGS } from '../../assess-tools/meanings.ts';
import { describeCalibration, getRoutingPolicy } from './calibration.ts';
import { listToolHealth } from './tool-health.ts';
import { listToolSuggestions } from './tool-suggestions.ts';

const modelsMax = 500;
const firstToken = `(ORDER BY ms_first_byte) FILTER (WHERE status = 'ok' AND stream)`;
const total = `(ORDER BY ms_total) FILTER (WHERE status = 'ok')`;

/**
 * SQL conditions for a model's recall. The condition `isJudged` selects log rows from which the recall of a model can
 * be measured. The condition `isMissed` selects tools that the model missed. Each candidate has the form `[name,
 * score, rank, 0|1 forwarded, …]`. A pruned tool that the model recovered is not a miss. A pruned tool is a miss if
 * the model called it without recovery.
 */
const isJudged = `${isPrunedByPlan} AND cardinality(called_tools) + cardinality(recovered_tools) > 0`;
const isMissed = `candidate ->> 3 = '0' AND candidate ->> 0 = ANY (called_tools)
        AND NOT candidate ->> 0 = ANY (recovered_tools)`;

const sql = `
  SELECT provider, model,
    count(*)::float8 AS requests,
    (count(*) FILTER (WHERE status IN ('ok', 'error', 'truncated')))::float8 AS ended,
    (count(*) FILTER (WHERE status IN ('error', 'truncated')))::float8 AS failed,
    (count(ms_first_byte) FILTER (WHERE status = 'ok' AND stream))::float8 AS streamed,
    percentile_cont(0.5) WITHIN GROUP ${firstToken} AS first_token_p50_ms,
    percentile_cont(0.95) WITHIN GROUP ${firstToken} AS first_token_p95_ms,
    percentile_cont(0.5) WITHIN GROUP ${total} AS total_p50_ms,
    percentile_cont(0.95) WITHIN GROUP ${total} AS total_p95_ms,
    count(missed)::float8 AS judged,
    (count(*) FILTER (WHERE NOT missed))::float8 AS recalled
  FROM own CROSS JOIN LATERAL (
    SELECT CASE WHEN ${isJudged} THEN EXISTS (
      SELECT FROM jsonb_array_elements(candidates) AS candidate WHERE ${isMissed}
    ) END AS missed
  ) AS judgement
  WHERE provider IS NOT NULL AND model IS NOT NULL
    AND (ms_upstream IS NOT NULL OR error_code IN ('upstream_unreachable', 'upstream_timeout'))
  GROUP BY provider, model ORDER BY requests DESC, provider, model LIMIT ${modelsMax}`;

/** Summarizes an account's requests per model, including requests that did not reach the model. */
async function observeModels(
  database: TelemetryDatabase,
  span: ParsedRequestOf<typeof observeModelsContract>,
): Promise<ReplyOf<typeof observeModelsContract>> {
  return { models: await queryAccountLog<ModelObservation>(database, span, sql) };
}

/** Implements the contracts for routing decisions, tool assessments and policies. */
@Controller()
export class RoutingController {
  readonly #database: TelemetryDatabase;
  readonly #readMeanings: ReadMeanings;

  constructor(
    @Inject(TELEMETRY_DATABASE) database: TelemetryDatabase,
    @Inject(READ_MEANINGS) readMeanings: ReadMeanings,
  ) {
    this.#database = database;
    this.#readMeanings = readMeanings;
  }

  @RpcHandler(listRoutingTracesContract)
  listRoutingTraces(
    request: ParsedRequestOf<typeof listRoutingTracesContract>,
  ): Promise<ReplyOf<typeof listRoutingTracesContract>> {
    return listRoutingTraces(this.#database, request);
  }

  @RpcHandler(observeModelsContract)
  observeModels(
    request: ParsedRequestOf<typeof observeModelsContract>,
  ): Promise<ReplyOf<typeof observeModelsContract>> {
    return observeModels(this.#database, request);
  }

  @RpcHandler(describeCalibrationContract)
  describeCalibration(
    request: ParsedRequestOf<typeof describeCalibrationContract>,
  ): Promise<ReplyOf<typeof describeCalibrationContract>> {
    return describeCalibration(this.#database, request);
  }

  @RpcHandler(getRoutingPolicyContract)
  getRoutingPolicy(
    request: ParsedRequestOf<typeof getRoutingPolicyContract>,
  ): Promise<ReplyOf<typeof getRoutingPolicyContract>> {
    return getRoutingPolicy(this.#database, request);
  }

  @RpcHandler(listToolHealthContract)
  listToolHealth(
    request: ParsedRequestOf<typeof listToolHealthContract>,
  ): Promise<ReplyOf<typeof listToolHealthContract>> {
    return listToolHealth(this.#database, request);
  }

  @RpcHandler(listToolSuggestionsContract)
  listToolSuggestions(
    request: ParsedRequestOf<typeof listToolSuggestionsContract>,
  ): Promise<ReplyOf<typeof listToolSuggestionsContract>> {
    return listToolSuggestions(this.#database, request);
  }

  @RpcHandler(listRecallAlertsContract)
  listRecallAlerts(
    request: ParsedRequestOf<typeof listRecallAlertsContract>,
  ): Promise<ReplyOf<typeof listRecallAlertsContract>> {
    return listRecallAlerts(this.#database, request);
  }

  @RpcHandler(assessToolsContract)
  assessTools(
    request: ParsedRequestOf<typeof assessToolsContract>,
  ): Promise<ReplyOf<typeof assessToolsContract>> {
    return assessTools(this.#database, request, this.#readMeanings);
  }
}
