import { z } from 'zod';

const tokenBudget = z.int().min(0).max(1e15);

/** What a key may be limited in, and inherits from its account's policy otherwise. */
export const limits = {
  /** Requests a minute. */
  rate_limit_rpm: z.int().min(1).max(10_000_000),
  /** Saved tokens a UTC day. */
  daily_token_budget: tokenBudget,
  /** Saved tokens a UTC week, from Monday on. */
  weekly_token_budget: tokenBudget,
};
