import { createPlaygroundKey, playgroundKeyBody, type ApiKey } from '@gateway/contracts';
import { openSealed, type Messaging, type SealingKeyPair } from '@gateway/messaging';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { readIdempotencyKey } from '../../http/idempotency-key.ts';
import { readOptionalJson } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { createPlayground } from './playground-key.operations.ts';

/** `/v1/account/playground-key`: chat takes API keys alone, so the dashboard's playground gets one for its session. */
@Controller('/v1/account/playground-key')
@AllowAccess('session')
export class PlaygroundKeyRoute {
  readonly #messaging: Messaging;
  readonly #sealingKeys: SealingKeyPair;

  constructor(
    @Inject(tokens.messaging) messaging: Messaging,
    @Inject(tokens.sealingKeys) sealingKeys: SealingKeyPair,
  ) {
    this.#messaging = messaging;
    this.#sealingKeys = sealingKeys;
  }

  @Post()
  @HttpCode(201)
  @Describe(createPlayground)
  async create(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKey & { key: string }> {
    const { publicKey: recipientPublicKey, privateKey } = this.#sealingKeys;
    const idempotencyKeySha256 = readIdempotencyKey(request);
    const body = await readOptionalJson(request, playgroundKeyBody);
    const call = { accountId, body, recipientPublicKey };
    const { key, sealedSecret, replayed } = await this.#messaging.call(
      createPlaygroundKey,
      idempotencyKeySha256 === undefined ? call : { ...call, idempotencyKeySha256 },
    );
    if (replayed) reply.header('idempotent-replayed', 'true');
    return { ...key, key: openSealed(sealedSecret, privateKey).toString('utf8') };
  }
}
