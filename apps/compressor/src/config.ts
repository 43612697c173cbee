import { parseConfig, redisUrl, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const keyBytes = 32;

const configSchema = z.object({
  ...serviceVariables,
  /**
   * URL of the Redis server for caches. The compressor stores omitted original texts in this cache
   * for one day. The compressor also runs without Redis.
   */
  REDIS_CACHE_URL: redisUrl,
  /**
   * Secret of 32 bytes in base64. The encryption keys for stored original texts are derived from this
   * secret. After a change of the secret, stored original texts cannot be decrypted.
   */
  ORIGINALS_KEY: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((bytes) => bytes.length === keyBytes, `must be ${keyBytes} bytes in base64`),
  /**
   * Maximum number of bytes of original texts and token counts that one account may add to Redis per UTC day. If an account
   * exceeds this limit, further original texts are rebuilt from the conversation when the model requests them.
   */
  ORIGINALS_BYTES_PER_ACCOUNT_MAX: z.coerce
    .number()
    .int()
    .positive()
    .default(64 * 1024 * 1024),
  /**
   * Approximate memory for cached conversations, in bytes. If a conversation is no longer in memory, the
   * gateway sends it again.
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
