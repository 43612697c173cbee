import { parseConfig, postgresUrl, redisUrl, serviceVariables, unlessEmpty } from '@gateway/messaging';
import { z } from 'zod';
import { defaultPlans, plans } from './plans/plans.ts';

const environment = z
  .object({
    ...serviceVariables,
    BILLING_DATABASE_URL: postgresUrl,
    /** The Redis server of the job queue, which must not evict keys (`maxmemory-policy noeviction`). */
    REDIS_URL: redisUrl,
    /**
     * Stripe's secret key or restricted key. Without a Stripe key, the billing service runs in self-hosted
     * mode, in which the service writes the ledger but charges no fees.
     */
    STRIPE_SECRET_KEY: unlessEmpty(z.string().min(8).max(255).optional()),
    /**
     * The secret with which Stripe signs events. The signing secret is required together with a Stripe key,
     * because anyone could forge events for an empty secret.
     */
    STRIPE_WEBHOOK_SECRET: unlessEmpty(z.string().min(8).max(255).optional()),
    /** Base URL of the Stripe API, for tests and proxies. */
    STRIPE_API_URL: unlessEmpty(z.url({ protocol: /^https?$/ }).default('https://api.stripe.com')),
    /**
     * The billing plans, as JSON. The first plan applies to accounts without a subscription. Without a Stripe
     * key, the plans are ignored.
     */
    BILLING_PLANS: unlessEmpty(z.string().transform(parseJson).pipe(plans).default(defaultPlans)),
  })
  .refine((config) => !config.STRIPE_SECRET_KEY || config.STRIPE_WEBHOOK_SECRET, {
    path: ['STRIPE_WEBHOOK_SECRET'],
    message: 'must be set when STRIPE_SECRET_KEY is set',
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

/** Reads and checks the environment variables. Throws a single error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}
