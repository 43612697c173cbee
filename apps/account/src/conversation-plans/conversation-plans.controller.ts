import {
  findConversationPlan as findContract,
  findUnchangedTurns as findTurnsContract,
  keepConversationPlan as keepContract,
  keepUnchangedTurn as keepTurnContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { ACCOUNT_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import { findPlan, findUnchangedTurns, keepPlan, keepUnchangedTurn } from './conversation-plans.ts';

/** Implements the RPC contracts that store and find the tool plans of conversations with bound reasoning. */
@Controller()
export class ConversationPlansController {
  readonly #context: { readonly database: AccountDatabase };

  constructor(@Inject(ACCOUNT_DATABASE) database: AccountDatabase) {
    this.#context = { database };
  }

  @RpcHandler(keepContract)
  keepPlan(request: ParsedRequestOf<typeof keepContract>): Promise<ReplyOf<typeof keepContract>> {
    return keepPlan(this.#context, request);
  }

  @RpcHandler(findContract)
  findPlan(request: ParsedRequestOf<typeof findContract>): Promise<ReplyOf<typeof findContract>> {
    return findPlan(this.#context, request);
  }

  @RpcHandler(keepTurnContract)
  keepTurn(request: ParsedRequestOf<typeof keepTurnContract>): Promise<ReplyOf<typeof keepTurnContract>> {
    return keepUnchangedTurn(this.#context, request);
  }

  @RpcHandler(findTurnsContract)
  findTurns(request: ParsedRequestOf<typeof findTurnsContract>): Promise<ReplyOf<typeof findTurnsContract>> {
    return findUnchangedTurns(this.#context, request);
  }
}
