import {
  createApiKeyBody,
  createKey,
  listKeys,
  revokeKey,
  setToolLists,
  toolListBody,
  type ApiKey,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { openSealed, type Messaging, type SealingKeyPair } from '@gateway/messaging';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AllowAccess } from '../../http/access.ts';
import type { AccountCaller } from '../../http/account-caller.ts';
import { FromCaller } from '../../http/caller.decorator.ts';
import { Describe } from '../../http/operation.ts';
import { readJson } from '../../http/zod-input.ts';
import { tokens } from '../../tokens.ts';
import { createApiKey, listApiKeys, revokeApiKey, setKeyToolLists } from './account-keys.operations.ts';

/** `/v1/account/keys` and its alias `/v1/keys`. */
@Controller()
@AllowAccess('api-key-or-session')
export class AccountKeysRoute {
  readonly #messaging: Messaging;
  readonly #sealingKeys: SealingKeyPair;

  constructor(
    @Inject(tokens.messaging) messaging: Messaging,
    @Inject(tokens.sealingKeys) sealingKeys: SealingKeyPair,
  ) {
    this.#messaging = messaging;
    this.#sealingKeys = sealingKeys;
  }

  @Get(['/v1/account/keys', '/v1/keys'])
  @Describe(listApiKeys)
  async list(@FromCaller() caller: AccountCaller): Promise<{ object: 'list'; data: ApiKey[] }> {
    const { keys } = await this.#messaging.call(listKeys, { accountId: caller.accountId });
    return { object: 'list', data: keys };
  }

  /** The answer is the only one that ever holds the secret; it came here sealed. */
  @Post(['/v1/account/keys', '/v1/keys'])
  @HttpCode(201)
  @Describe(createApiKey)
  async create(
    @FromCaller() caller: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<ApiKey & { key: string }> {
    const body = await readJson(request, createApiKeyBody);
    const recipientPublicKey = this.#sealingKeys.publicKey;
    const reply = await this.#messaging.call(createKey, {
      accountId: caller.accountId,
      body,
      recipientPublicKey,
    });
    const secret = openSealed(reply.sealedSecret, this.#sealingKeys.privateKey).toString('utf8');
    return { ...reply.key, key: secret };
  }

  @Put('/v1/account/keys/:keyId/toollist')
  @Describe(setKeyToolLists)
  async setToolLists(
    @FromCaller() caller: AccountCaller,
    @Param('keyId') keyId: string,
    @Req() request: FastifyRequest,
  ): Promise<ApiKey> {
    const body = await readJson(request, toolListBody);
    const call = { accountId: caller.accountId, keyId: requireKeyId(keyId), body };
    return (await this.#messaging.call(setToolLists, call)).key;
  }

  @Delete(['/v1/account/keys/:keyId', '/v1/keys/:keyId'])
  @Describe(revokeApiKey)
  async revoke(
    @FromCaller() caller: AccountCaller,
    @Param('keyId') keyId: string,
  ): Promise<{ id: string; object: 'api_key.deleted'; deleted: true }> {
    const reply = await this.#messaging.call(revokeKey, {
      accountId: caller.accountId,
      keyId: requireKeyId(keyId),
    });
    return { id: reply.keyId, object: 'api_key.deleted', deleted: true };
  }
}

/** What is no id at all is answered as an id that is not there. */
function requireKeyId(text: string): string {
  if (z.uuid().safeParse(text).success) return text;
  throw new GatewayError('not_found');
}
