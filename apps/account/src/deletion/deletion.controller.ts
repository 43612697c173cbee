import {
  deleteAccount as deleteAccountContract,
  getAccountDeletion as getAccountDeletionContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { ChangeAnnouncer } from '../announce/change-announcer.ts';
import { IDENTITY, type Identity } from '../identity/identity.ts';
import { ACCOUNT_DATABASE, type AccountDatabase } from '../persistence/account-database.ts';
import {
  deleteAccount,
  DELETION_LOGGER,
  getAccountDeletion,
  type DeleteAccountContext,
} from './delete-account.ts';
import { DeletionRunner } from './deletion-runner.ts';

/** Implements the RPC contracts for account deletion. */
@Controller()
export class DeletionController {
  readonly #context: DeleteAccountContext;

  constructor(
    @Inject(ACCOUNT_DATABASE) database: AccountDatabase,
    @Inject(ChangeAnnouncer) changes: ChangeAnnouncer,
    @Inject(DeletionRunner) deletions: DeletionRunner,
    @Inject(IDENTITY) identity: Identity | null,
    @Inject(DELETION_LOGGER) logger: DeleteAccountContext['logger'],
  ) {
    this.#context = { database, changes, deletions, embeddedIssuer: identity?.issuer ?? null, logger };
  }

  @RpcHandler(deleteAccountContract)
  deleteAccount(
    request: ParsedRequestOf<typeof deleteAccountContract>,
  ): Promise<ReplyOf<typeof deleteAccountContract>> {
    return deleteAccount(this.#context, request);
  }

  @RpcHandler(getAccountDeletionContract)
  getAccountDeletion(
    request: ParsedRequestOf<typeof getAccountDeletionContract>,
  ): Promise<ReplyOf<typeof getAccountDeletionContract>> {
    return getAccountDeletion(this.#context, request);
  }
}
