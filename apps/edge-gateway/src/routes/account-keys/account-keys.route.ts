import {
  createApiKeyBody,
  createKey,
  listKeys,
  revokeKey,
  rotateApiKeyBody,
  rotateKey,
  setToolLists,
  toolListBody,
  updateApiKeyBody,
  updateKey,
  type ApiKey,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import { openSealed, type Messaging, type SealingKeyPair } from '@gateway/messaging';
import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { readJson, readOptionalJson } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import {
  createApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  setKeyToolLists,
  updateApiKey,
} from './account-keys.operations.ts';

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

  @Post(['/v1/account/keys', '/v1/keys'])
  @HttpCode(201)
  @Describe(createApiKey)
  async create(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey & { key: string }> {
    const call = { accountId, ...this.#creation(request), body: await readJson(request, createApiKeyBody) };
    const created = await this.#messaging.call(createKey, call);
    return this.#showSecret(created, reply);
  }

  @Patch('/v1/account/keys/:keyId')
  @Describe(updateApiKey)
  async update(
    @FromCaller() caller: AccountCaller,
    @Param('keyId') keyId: string,
    @Req() request: FastifyRequest,
  ): Promise<ApiKey> {
    const body = await readJson(request, updateApiKeyBody);
    const call = { accountId: caller.accountId, keyId: requireKeyId(keyId), body };
    return (await this.#messaging.call(updateKey, call)).key;
  }

  @Post('/v1/account/keys/:keyId/rotate')
  @HttpCode(200)
  @Describe(rotateApiKey)
  async rotate(
    @FromCaller() { accountId }: AccountCaller,
    @Param('keyId') keyId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey & { key: string; previous_key_expires_at: string | null }> {
    const body = await readOptionalJson(request, rotateApiKeyBody);
    const call = { accountId, keyId: requireKeyId(keyId), ...this.#creation(request), body };
    const rotated = await this.#messaging.call(rotateKey, call);
    return this.#showSecret(rotated, reply);
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

  #creation(request: FastifyRequest): { recipientPublicKey: string; idempotencyKeySha256?: string } {
    const idempotencyKeySha256 = readIdempotencyKey(request);
    const { publicKey: recipientPublicKey } = this.#sealingKeys;
    return { recipientPublicKey, ...(idempotencyKeySha256 === undefined ? {} : { idempotencyKeySha256 }) };
  }

  /** The secret came here sealed. The answer is the only one that holds it, but for those to the same idempotency key. */
  #showSecret<Key extends ApiKey>(
    { key, sealedSecret, replayed }: { key: Key; sealedSecret: string; replayed: boolean },
    reply: FastifyReply,
  ): Key & { key: string } {
    if (replayed) reply.header('idempotent-replayed', 'true');
    return { ...key, key: openSealed(sealedSecret, this.#sealingKeys.privateKey).toString('utf8') };
  }
}

/** What is no id at all is answered as an id that is not there. */
function requireKeyId(text: string): string {
  if (z.uuid().safeParse(text).success) return text;
  throw new GatewayError('not_found');
}
