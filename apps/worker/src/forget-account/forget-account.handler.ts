import { forgetAccountRequests as contract } from '@gateway/contracts';
import { RpcHandler, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { Controller, Inject, type OnModuleDestroy } from '@nestjs/common';
import { WORKER_CONTEXT, type WorkerContext } from '../domain/worker-context.ts';
import { BullmqDeadLetters } from '../jobs/write-request-log/bullmq-dead-letters.adapter.ts';
import { forgetAccount } from './forget-account.ts';

@Controller()
export class ForgetAccountHandler implements OnModuleDestroy {
  readonly #context: WorkerContext;
  readonly #deadLetters: BullmqDeadLetters;

  constructor(@Inject(WORKER_CONTEXT) context: WorkerContext) {
    this.#context = context;
    this.#deadLetters = new BullmqDeadLetters(context.queueRedis);
  }

  @RpcHandler(contract)
  forgetAccount(request: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    const { database } = this.#context;
    return forgetAccount({ database, deadLetters: this.#deadLetters }, request);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#deadLetters.close();
  }
}
