// The modules `run-service` and `nest-transport` are separate entry points (package.json), because they load NestJS.
// Programs and tests that only send messages load faster without NestJS.
export {
  connectCacheRedis,
  checkNoEviction,
  EvictingRedisError,
  isRedisUp,
  openRedis,
  openQueueRedis,
  unlinkKeys,
} from './redis.ts';
export { AccountCache, type AccountCacheOptions } from './account-cache.ts';
export { accountShare, type AccountShare, watchShare } from './account-share.ts';
export { FairQueue, type FairQueueOptions, type RefusedReason } from './fair-queue.ts';
export { LoopShare, runAtOnce, runInPieces, type LoopShareOptions, type Pieces } from './loop-share.ts';
export type {
  CallOptions,
  Messaging,
  MessagingLogger,
  ParsedReplyOf,
  ParsedRequestOf,
  ReplyOf,
  RequestOf,
  ServeOptions,
} from './messaging.ts';
export { isUnreached } from './call.ts';
export { cutForMessages } from './message-format.ts';
export { ActiveAccounts, TimeShare, type TimeShareOptions } from './time-share.ts';
export { connectMessaging, type MessagingOptions } from './nats-messaging.ts';
export * from './sealed-box.ts';
export {
  listHostUrls,
  parseConfig,
  port,
  postgresUrl,
  redisUrl,
  serviceVariables,
  unlessEmpty,
  type ServiceConfig,
} from './service-config.ts';
