import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const configSchema = z.object({
  ...serviceVariables,
  /**
   * URL of the Redis server that holds the cache. Omitted original texts are stored in this cache for one
   * day. The compressor also runs without Redis.
   */
  REDIS_CACHE_URL: z.url({ protocol: /^rediss?$/ }),
  /**
   * Secret of 32 bytes in base64. The encryption keys for stored original texts are derived from the
   * compressor's secret. After a change of the secret, original texts that are already stored cannot be
   * decrypted.
   */
  ORIGINALS_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length === keyBytes, `must be ${keyBytes} bytes in base64`),
  /**
   * Bytes of original texts and token counts that one account may add to Redis per UTC day. Original texts
   * above this limit are rebuilt from the conversation when the model requests them.
   */
  ORIGINALS_BYTES_PER_ACCOUNT_MAX: z.coerce
    .number()
    .int()
    .positive()
    .default(64 * 1024 * 1024),
  /**
   * Approximate memory for remembered conversations, in bytes. If a conversation was evicted from memory, the
   * gateway sends the conversation again.
   */
  CONVERSATION_BYTES_MAX: z.coerce
    .number()
    .int()
    .positive()
    .default(192 * 1024 * 1024),
});

export type Config = z.output<typeof configSchema>;

/** Parses the environment variables. Throws a single error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(configSchema, variables);
}
