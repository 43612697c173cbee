import { z } from 'zod';

export const routingMode = z.enum(['auto', 'cheap', 'fast', 'capable']);
export type RoutingMode = z.infer<typeof routingMode>;
export const pruningMode = z.enum(['on', 'shadow', 'off']);
export const compressionMode = z.enum(['off', 'lossless', 'balanced']);
export const recallTarget = z.number().min(0.5).max(0.9999);
/** `pass`: the request goes out unoptimized. `reject`: it is answered 402. */
export const onBudgetExhausted = z.enum(['pass', 'reject']);
