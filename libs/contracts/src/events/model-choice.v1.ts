import { z } from 'zod';
import { count } from '../common.ts';
import { routingMode } from '../api/routing-preferences.ts';

/** How the model of a request was chosen, where the client left that to the gateway (`svc/auto`, …). */
export const modelChoiceRecord = z.object({
  mode: routingMode,
  /** In one word: `complexity_high`, `cheapest`, `session`, … */
  reason: z.string().max(64),
  /** 0 to 1: how much the request asks for. */
  complexity: z.number(),
  level: z.enum(['low', 'medium', 'high']),
  /** The best sixteen, in the order of the choice. */
  candidates: z.array(
    z.object({
      /** `<provider>/<model>` */
      id: z.string().max(320),
      /** By which they are in order: USD, milliseconds, or quality times recall, as the mode has it. Null: not known. */
      score: z.number().nullable(),
      quality: z.number(),
      costUsd: z.number().nullable(),
    }),
  ),
  candidatesCount: count,
  /** Whom a rule left out, 64 at most. */
  excluded: z.array(z.object({ id: z.string().max(320), rule: z.string().max(64) })),
  excludedCount: count,
});
export type ModelChoiceRecord = z.infer<typeof modelChoiceRecord>;
