import { forgetAccountOriginals as forgetAccountOriginalsContract } from '@gateway/contracts';
import { unlinkKeys, type ParsedRequestOf, type ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller, Inject } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { countKeyKind } from './count-tokens/redis-count-store.adapter.ts';
import { originalKeyKind } from './originals/redis-original-store.adapter.ts';

export const ACCOUNT_KEYS_REDIS = Symbol('AccountKeysRedis');

/** Maximum working time of one call in milliseconds, well below the contract's deadline. */
const workMs = 2_000;

/** Implements the contract that deletes the omitted original texts and token counts of a deleted account. */
@Controller()
export class ForgetAccountController {
  readonly #redis: Pick<Redis, 'scan' | 'unlink'>;

  constructor(@Inject(ACCOUNT_KEYS_REDIS) redis: Pick<Redis, 'scan' | 'unlink'>) {
    this.#redis = redis;
  }

  @RpcHandler(forgetAccountOriginalsContract)
  async forgetAccount({
    accountId,
    cursor,
  }: ParsedRequestOf<typeof forgetAccountOriginalsContract>): Promise<
    ReplyOf<typeof forgetAccountOriginalsContract>
  > {
    const kinds = [originalKeyKind, countKeyKind];
    const next = await unlinkKeys(this.#redis, {
      pattern: `*:{${accountId}}*`,
      isWanted: (key) => kinds.some((kind) => key.startsWith(`${kind}:{`)),
      cursor: cursor !== null && /^\d+$/.test(cursor) ? cursor : '0',
      workMs,
    });
    return { cursor: next };
  }
}
