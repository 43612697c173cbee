export { connectCacheRedis, type CacheRedisOptions } from './cache-redis.ts';
export { endOnSignal } from './end-on-signal.ts';
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
export { connectMessaging, type MessagingOptions } from './nats-messaging.ts';
export { nestLogger } from './nest-logger.ts';
export { checkNoEviction, EvictingRedisError, isRedisUp, openQueueRedis } from './queue-redis.ts';
export { RpcHandler } from './rpc-handler.ts';
export { RpcServer } from './rpc-server.ts';
export { runService, type RunningService, type ServiceOptions, type ServiceParts } from './run-service.ts';
export * from './sealed-box.ts';
export { parseConfig, port, serviceVariables, unlessEmpty, type ServiceConfig } from './service-config.ts';
