import { forgetAccountRequests as forgetAccountRequestsContract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { BullmqDeadLetters } from '../jobs/write-request-log/bullmq-dead-letters.adapter.ts';
import { TELEMETRY_DATABASE, type TelemetryDatabase } from '../persistence/telemetry-database.ts';
import { forgetAccount } from './forget-account.ts';

/** Implements the contract that deletes the requests of a deleted account. */
@Controller()
export class ForgetAccountController {
  readonly #database: TelemetryDatabase;
  readonly #deadLetters: BullmqDeadLetters;

  constructor(
    @Inject(TELEMETRY_DATABASE) database: TelemetryDatabase,
    @Inject(BullmqDeadLetters) deadLetters: BullmqDeadLetters,
  ) {
    this.#database = database;
    this.#deadLetters = deadLetters;
  }

  @RpcHandler(forgetAccountRequestsContract)
  forgetAccount(
    request: ParsedRequestOf<typeof forgetAccountRequestsContract>,
  ): Promise<ReplyOf<typeof forgetAccountRequestsContract>> {
    return forgetAccount({ database: this.#database, deadLetters: this.#deadLetters }, request);
  }
}
