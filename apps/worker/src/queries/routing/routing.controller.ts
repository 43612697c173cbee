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
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject } from '@nestjs/common';
import { assessTools } from '../../assess-tools/assess-tools.ts';
import { READ_MEANINGS, type ReadMeanings } from '../../assess-tools/meanings.ts';
import { TELEMETRY_DATABASE, type TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { describeCalibration, getRoutingPolicy } from './calibration.ts';
import { observeModels } from './observe-models.ts';
import { listRecallAlerts, listRoutingTraces } from './routing-decisions.ts';
import { listToolHealth } from './tool-health.ts';
import { listToolSuggestions } from './tool-suggestions.ts';

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
