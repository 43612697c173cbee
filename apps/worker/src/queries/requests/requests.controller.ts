import {
  exportRequests as exportRequestsContract,
  getRequest as getRequestContract,
  listRequests as listRequestsContract,
  readRequests as readRequestsContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { TELEMETRY_DATABASE, type TelemetryDatabase } from '../../persistence/telemetry-database.ts';
import { exportRequests, getRequest, listRequests, readRequests } from './requests.ts';

/** Implements the contracts that query the request log. */
@Controller()
export class RequestsController {
  readonly #database: TelemetryDatabase;

  constructor(@Inject(TELEMETRY_DATABASE) database: TelemetryDatabase) {
    this.#database = database;
  }

  @RpcHandler(listRequestsContract)
  listRequests(
    request: ParsedRequestOf<typeof listRequestsContract>,
  ): Promise<ReplyOf<typeof listRequestsContract>> {
    return listRequests(this.#database, request);
  }

  @RpcHandler(readRequestsContract)
  readRequests(
    request: ParsedRequestOf<typeof readRequestsContract>,
  ): Promise<ReplyOf<typeof readRequestsContract>> {
    return readRequests(this.#database, request);
  }

  @RpcHandler(exportRequestsContract)
  exportRequests(
    request: ParsedRequestOf<typeof exportRequestsContract>,
  ): Promise<ReplyOf<typeof exportRequestsContract>> {
    return exportRequests(this.#database, request);
  }

  @RpcHandler(getRequestContract)
  getRequest(
    request: ParsedRequestOf<typeof getRequestContract>,
  ): Promise<ReplyOf<typeof getRequestContract>> {
    return getRequest(this.#database, request);
  }
}
