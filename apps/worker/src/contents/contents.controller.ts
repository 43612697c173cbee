import { readContent as readContentContract, storeContent as storeContentContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { TELEMETRY_DATABASE, type TelemetryDatabase } from '../persistence/telemetry-database.ts';
import { CONTENT_KEYS, readContent, storeContent, type ContentKeys } from './request-contents.ts';

/** Implements the contracts for request contents. */
@Controller()
export class ContentsController {
  readonly #database: TelemetryDatabase;
  readonly #keys: ContentKeys;

  constructor(
    @Inject(TELEMETRY_DATABASE) database: TelemetryDatabase,
    @Inject(CONTENT_KEYS) keys: ContentKeys,
  ) {
    this.#database = database;
    this.#keys = keys;
  }

  @RpcHandler(storeContentContract)
  storeContent(
    request: ParsedRequestOf<typeof storeContentContract>,
  ): Promise<ReplyOf<typeof storeContentContract>> {
    return storeContent(this.#database, this.#keys, request);
  }

  @RpcHandler(readContentContract)
  readContent(
    request: ParsedRequestOf<typeof readContentContract>,
  ): Promise<ReplyOf<typeof readContentContract>> {
    return readContent(this.#database, this.#keys, request);
  }
}
