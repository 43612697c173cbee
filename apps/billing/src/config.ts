import { parseConfig, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';
import { defaultPlans, plans } from './plans/plans.ts';

const environment = z
  .object({
    ...serviceVariables,
    BILLING_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    /** The queue's Redis: it must not evict (`maxmemory-policy noeviction`). */
    REDIS_URL: z.url({ protocol: /^rediss?$/ }),
    /** Stripe's secret or restricted key. Without one the service runs self-hosted: it keeps the ledger and charges nobody. */
    STRIPE_SECRET_KEY: unlessEmpty(z.string().min(8).max(255).optional()),
    /** What Stripe signs its events with. An empty one would take anybody's: with a key it has to be there. */
    STRIPE_WEBHOOK_SECRET: unlessEmpty(z.string().min(8).max(255).optional()),
    /** Where Stripe's API is, for tests and for proxies. */
    STRIPE_API_URL: unlessEmpty(z.url({ protocol: /^https?$/ }).default('https://api.stripe.com')),
    /** The plans, in JSON: the first one is for who has no subscription. Of no use without a Stripe key. */
    BILLING_PLANS: unlessEmpty(z.string().transform(parseJson).pipe(plans).default(defaultPlans)),
  })
  .refine((config) => !config.STRIPE_SECRET_KEY || config.STRIPE_WEBHOOK_SECRET, {
    path: ['STRIPE_WEBHOOK_SECRET'],
    message: 'must be set where STRIPE_SECRET_KEY is',
  });
export type Config = z.output<typeof environment>;

function parseJson(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
}

/** Reads the environment once. Throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
