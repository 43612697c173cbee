import {
  createApiKeyBody,
  createKey,
  createPlaygroundKey,
  listKeys,
  playgroundKeyBody,
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
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING, SEALING_KEYS } from '../../access/tokens.ts';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import { RateCeiling } from '../../grants/rate-ceiling.ts';
import { readJson, readOptionalJson } from '../../request/read-body.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import * as operations from './keys.operations.ts';

/** Serves `/v1/account/keys` (alias `/v1/keys`) and `/v1/account/playground-key`, for managing API keys. */
@Controller()
@AllowAccess('api-key-or-session')
export class KeysRoute {
  readonly #messaging: Messaging;
  readonly #sealingKeys: SealingKeyPair;
  readonly #rateCeiling: RateCeiling;

  constructor(
    @Inject(MESSAGING) messaging: Messaging,
    @Inject(SEALING_KEYS) sealingKeys: SealingKeyPair,
    @Inject(RateCeiling) rateCeiling: RateCeiling,
  ) {
    this.#rateCeiling = rateCeiling;
    this.#messaging = messaging;
    this.#sealingKeys = sealingKeys;
  }

  @Get(['/v1/account/keys', '/v1/keys'])
  @Describe(operations.listApiKeys)
  async list(@FromCaller() caller: AccountCaller): Promise<{ object: 'list'; data: ApiKey[] }> {
    const { keys } = await this.#messaging.call(listKeys, { accountId: caller.accountId });
    return { object: 'list', data: keys.map((key) => this.#rateCeiling.capRecord(key)) };
  }

  @Post(['/v1/account/keys', '/v1/keys'])
  @HttpCode(201)
  @Describe(operations.createApiKey)
  async create(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey & { key: string }> {
    const creation = this.#readCreation(request);
    const body = await readJson(request, createApiKeyBody);
    this.#rateCeiling.require(body.rate_limit_rpm, 'rate_limit_rpm');
    const created = await this.#messaging.call(createKey, { accountId, actor, ...creation, body });
    return this.#showSecret(created, reply);
  }

  /**
   * Creates an API key for the dashboard's playground, because the chat endpoints accept only API keys. The API key
   * is tied to the user's login session.
   */
  @Post('/v1/account/playground-key')
  @HttpCode(201)
  @AllowAccess('session')
  @Describe(operations.createPlayground)
  async createForPlayground(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey & { key: string }> {
    const creation = this.#readCreation(request);
    const body = await readOptionalJson(request, playgroundKeyBody);
    const created = await this.#messaging.call(createPlaygroundKey, { accountId, actor, ...creation, body });
    return this.#showSecret(created, reply);
  }

  @Patch('/v1/account/keys/:keyId')
  @Describe(operations.updateApiKey)
  async update(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Param('keyId') keyId: string,
    @Req() request: FastifyRequest,
  ): Promise<ApiKey> {
    const body = await readJson(request, updateApiKeyBody);
    this.#rateCeiling.require(body.rate_limit_rpm, 'rate_limit_rpm');
    const call = { accountId, actor, keyId: requireKeyId(keyId), body };
    return this.#rateCeiling.capRecord((await this.#messaging.call(updateKey, call)).key);
  }

  @Post('/v1/account/keys/:keyId/rotate')
  @HttpCode(200)
  @Describe(operations.rotateApiKey)
  async rotate(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Param('keyId') keyId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey & { key: string; previous_key_expires_at: string | null }> {
    const body = await readOptionalJson(request, rotateApiKeyBody);
    const call = { accountId, actor, keyId: requireKeyId(keyId), ...this.#readCreation(request), body };
    const rotated = await this.#messaging.call(rotateKey, call);
    return this.#showSecret(rotated, reply);
  }

  @Put('/v1/account/keys/:keyId/toollist')
  @Describe(operations.setKeyToolLists)
  async setToolLists(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Param('keyId') keyId: string,
    @Req() request: FastifyRequest,
  ): Promise<ApiKey> {
    const body = await readJson(request, toolListBody);
    const call = { accountId, actor, keyId: requireKeyId(keyId), body };
    return this.#rateCeiling.capRecord((await this.#messaging.call(setToolLists, call)).key);
  }

  @Delete(['/v1/account/keys/:keyId', '/v1/keys/:keyId'])
  @Describe(operations.revokeApiKey)
  async revoke(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Param('keyId') keyId: string,
  ): Promise<{ id: string; object: 'api_key.deleted'; deleted: true }> {
    const call = { accountId, actor, keyId: requireKeyId(keyId) };
    const reply = await this.#messaging.call(revokeKey, call);
    return { id: reply.keyId, object: 'api_key.deleted', deleted: true };
  }

  /**
   * Returns the parameters of all calls that create a secret. The parameters are the public key for sealing the
   * secret, and the idempotency key.
   */
  #readCreation(request: FastifyRequest): { recipientPublicKey: string; idempotencyKeySha256?: string } {
    const idempotencyKeySha256 = readIdempotencyKey(request);
    const { publicKey: recipientPublicKey } = this.#sealingKeys;
    return { recipientPublicKey, ...(idempotencyKeySha256 === undefined ? {} : { idempotencyKeySha256 }) };
  }

  /**
   * Opens the sealed secret of an API key. Only the response to this call, and replays with the same idempotency
   * key, contain the secret.
   */
  #showSecret<Key extends ApiKey>(
    { key, sealedSecret, replayed }: { key: Key; sealedSecret: string; replayed: boolean },
    reply: FastifyReply,
  ): Key & { key: string } {
    if (replayed) reply.header('idempotent-replayed', 'true');
    const capped = this.#rateCeiling.capRecord(key);
    return { ...capped, key: openSealed(sealedSecret, this.#sealingKeys.privateKey).toString('utf8') };
  }
}

/** Validates an API key's id. An invalid key id gets status 404, like an unknown key id. */
function requireKeyId(text: string): string {
  if (z.uuid().safeParse(text).success) return text;
  throw new GatewayError('not_found');
}
