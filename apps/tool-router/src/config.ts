import { join } from 'node:path';
import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';

/** The repository's root, from `apps/tool-router/src` and from `dist/apps/tool-router` alike. */
const root = join(import.meta.dirname, '../../..');

const configSchema = z.object({
  ...serviceVariables,
  /** Directory of the encoder: `model.onnx` and `encoder.json`. The shipped one unless given. */
  ROUTER_ENCODER_DIR: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z.string().default(join(root, 'models/tiny')),
  ),
});

export type ToolRouterConfig = z.output<typeof configSchema>;

/** Parses the environment; throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): ToolRouterConfig {
  return parseConfig(configSchema, variables);
}
