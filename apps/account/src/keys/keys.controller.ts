import {
  authenticateKey as authenticateKeyContract,
  createKey as createKeyContract,
  createPlaygroundKey as createPlaygroundKeyContract,
  listKeys as listKeysContract,
  revokeKey as revokeKeyContract,
  rotateKey as rotateKeyContract,
  setToolLists as setToolListsContract,
  updateKey as updateKeyContract,
} from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import { ChangeAnnouncer } from '../announce/change-announcer.ts';
import {
  ACCOUNT_DATABASE,
  AUTHENTICATION_DATABASE,
  type AccountDatabase,
} from '../persistence/account-database.ts';
import {
  authenticateKey,
  COUNT_KEY_LOOKUP,
  type AuthenticateKeyContext,
  type CountKeyLookup,
} from './authenticate-key.ts';
import { createKey } from './create-key.ts';
import { createPlaygroundKey } from './create-playground-key.ts';
import { LastUsedRecorder } from './last-used-recorder.ts';
import { KEY_PEPPER, listKeys, revokeKey, setToolLists, updateKey, type KeysContext } from './manage-keys.ts';
import { rotateKey } from './rotate-key.ts';

/** Implements the RPC contracts for API keys. */
@Controller()
export class KeysController {
  readonly #context: KeysContext;
  readonly #authenticateContext: AuthenticateKeyContext;

  constructor(
    @Inject(ACCOUNT_DATABASE) database: AccountDatabase,
    @Inject(AUTHENTICATION_DATABASE) authenticationDatabase: AccountDatabase,
    @Inject(KEY_PEPPER) pepper: Buffer,
    @Inject(ChangeAnnouncer) changes: ChangeAnnouncer,
    @Inject(LastUsedRecorder) lastUsed: LastUsedRecorder,
    @Inject(COUNT_KEY_LOOKUP) countLookup: CountKeyLookup,
  ) {
    this.#context = { database, pepper, changes };
    this.#authenticateContext = { database: authenticationDatabase, pepper, lastUsed, countLookup };
  }

  @RpcHandler(authenticateKeyContract)
  authenticateKey(
    request: ParsedRequestOf<typeof authenticateKeyContract>,
  ): Promise<ReplyOf<typeof authenticateKeyContract>> {
    return authenticateKey(this.#authenticateContext, request);
  }

  @RpcHandler(createKeyContract)
  createKey(request: ParsedRequestOf<typeof createKeyContract>): Promise<ReplyOf<typeof createKeyContract>> {
    return createKey(this.#context, request);
  }

  @RpcHandler(createPlaygroundKeyContract)
  createPlaygroundKey(
    request: ParsedRequestOf<typeof createPlaygroundKeyContract>,
  ): Promise<ReplyOf<typeof createPlaygroundKeyContract>> {
    return createPlaygroundKey(this.#context, request);
  }

  @RpcHandler(listKeysContract)
  listKeys(request: ParsedRequestOf<typeof listKeysContract>): Promise<ReplyOf<typeof listKeysContract>> {
    return listKeys(this.#context, request);
  }

  @RpcHandler(updateKeyContract)
  updateKey(request: ParsedRequestOf<typeof updateKeyContract>): Promise<ReplyOf<typeof updateKeyContract>> {
    return updateKey(this.#context, request);
  }

  @RpcHandler(setToolListsContract)
  setToolLists(
    request: ParsedRequestOf<typeof setToolListsContract>,
  ): Promise<ReplyOf<typeof setToolListsContract>> {
    return setToolLists(this.#context, request);
  }

  @RpcHandler(rotateKeyContract)
  rotateKey(request: ParsedRequestOf<typeof rotateKeyContract>): Promise<ReplyOf<typeof rotateKeyContract>> {
    return rotateKey(this.#context, request);
  }

  @RpcHandler(revokeKeyContract)
  revokeKey(request: ParsedRequestOf<typeof revokeKeyContract>): Promise<ReplyOf<typeof revokeKeyContract>> {
    return revokeKey(this.#context, request);
  }
}
