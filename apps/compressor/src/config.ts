import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

const configSchema = z.object({
  ...serviceVariables,
  /** What remembered conversations may take of the memory, about. What is forgotten is told again. */
  CONVERSATION_BYTES_MAX: z.coerce
    .number()
    .int()
    .positive()
    .default(192 * 1024 * 1024),
});

export type Config = z.output<typeof configSchema>;

/** Parses the environment; throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(configSchema, variables);
}
