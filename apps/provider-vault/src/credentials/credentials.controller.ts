import {
  deleteCredential as deleteCredentialContract,
  forgetAccountCredentials as forgetAccountCredentialsContract,
  listCredentials as listCredentialsContract,
  openCredential as openCredentialContract,
  putCredential as putCredentialContract,
  reportCredential as reportCredentialContract,
  rewrapCredentials as rewrapCredentialsContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { KeyRing } from '../encryption/key-ring.ts';
import { KeyVersions } from '../keys/key-versions.ts';
import { SealingKeys } from '../keys/sealing-keys.ts';
import { VAULT_DATABASE, type VaultDatabase } from '../persistence/vault-database.ts';
import { CredentialEvents } from './credential-events.ts';
import {
  deleteCredential,
  forgetAccount,
  listCredentials,
  reportCredential,
  type CredentialsContext,
} from './manage-credentials.ts';
import { openCredential } from './open-credential.ts';
import { putCredential } from './put-credential.ts';
import { rewrapCredentials } from './rewrap-credentials.ts';

/** Implements the RPC contracts for provider credentials. */
@Controller()
export class CredentialsController {
  readonly #context: CredentialsContext;

  constructor(
    @Inject(VAULT_DATABASE) database: VaultDatabase,
    @Inject(KeyRing) keyRing: KeyRing,
    @Inject(KeyVersions) keyVersions: KeyVersions,
    @Inject(SealingKeys) sealingKeys: SealingKeys,
    @Inject(CredentialEvents) events: CredentialEvents,
  ) {
    this.#context = { database, keyRing, keyVersions, sealingKeys, events };
  }

  @RpcHandler(putCredentialContract)
  putCredential(
    request: ParsedRequestOf<typeof putCredentialContract>,
  ): Promise<ReplyOf<typeof putCredentialContract>> {
    return putCredential(this.#context, request);
  }

  @RpcHandler(listCredentialsContract)
  listCredentials(
    request: ParsedRequestOf<typeof listCredentialsContract>,
  ): Promise<ReplyOf<typeof listCredentialsContract>> {
    return listCredentials(this.#context, request);
  }

  @RpcHandler(deleteCredentialContract)
  deleteCredential(
    request: ParsedRequestOf<typeof deleteCredentialContract>,
  ): Promise<ReplyOf<typeof deleteCredentialContract>> {
    return deleteCredential(this.#context, request);
  }

  @RpcHandler(openCredentialContract)
  openCredential(
    request: ParsedRequestOf<typeof openCredentialContract>,
  ): Promise<ReplyOf<typeof openCredentialContract>> {
    return openCredential(this.#context, request);
  }

  @RpcHandler(reportCredentialContract)
  reportCredential(
    request: ParsedRequestOf<typeof reportCredentialContract>,
  ): Promise<ReplyOf<typeof reportCredentialContract>> {
    return reportCredential(this.#context, request);
  }

  @RpcHandler(rewrapCredentialsContract)
  rewrapCredentials(
    request: ParsedRequestOf<typeof rewrapCredentialsContract>,
  ): Promise<ReplyOf<typeof rewrapCredentialsContract>> {
    return rewrapCredentials(this.#context, request);
  }

  @RpcHandler(forgetAccountCredentialsContract)
  forgetAccount(
    request: ParsedRequestOf<typeof forgetAccountCredentialsContract>,
  ): Promise<ReplyOf<typeof forgetAccountCredentialsContract>> {
    return forgetAccount(this.#context, request);
  }
}
