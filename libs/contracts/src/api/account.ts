import { z } from 'zod';
import { id, keepable, timestamp } from '../base/common.ts';

/**
 * A group of operations that an API key may call. The scope `inference` permits chat, models and proxies. The
 * scope `read` permits usage, the request log, tool health, and the account's settings. The scope `manage`
 * permits changes to keys, providers, policy and routing, access to billing figures, and account deletion.
 */
export const keyScope = z.enum(['inference', 'read', 'manage']);
export type KeyScope = z.infer<typeof keyScope>;

/** All scopes, in the order in which API key lists show them. */
export const allKeyScopes: readonly KeyScope[] = keyScope.options;

/** The scopes of an API key are a list of at least one scope, without duplicates. */
export const keyScopes = z
  .array(keyScope)
  .min(1)
  .max(keyScope.options.length)
  .refine((scopes) => new Set(scopes).size === scopes.length, { error: 'name each scope once' })
  .meta({
    description:
      'The scope `inference` permits chat, models and proxies. The scope `read` permits usage, request log, tool health and settings. The scope `manage` permits changes to keys, providers, policy and routing, access to billing figures, and account deletion.',
    examples: [['inference'], ['inference', 'read']],
  });

const tokenBudget = z.int().min(0).max(1e15);

/** Limits for an API key. A limit that is not set is inherited from the account policy. */
export const limits = {
  /** Maximum number of requests per minute. */
  rate_limit_rpm: z.int().min(1).max(10_000_000),
  /** Maximum number of saved tokens per UTC day. */
  daily_token_budget: tokenBudget,
  /** Maximum number of saved tokens per UTC week. Weeks start on Monday. */
  weekly_token_budget: tokenBudget,
};

/** Default limits and scopes for an account's keys, and rules for storing request data. */
export const accountPolicy = z.strictObject({
  ...limits,
  /** Whether the gateway may store message and tool contents, in encrypted form. */
  content_logging: z.boolean(),
  /** Retention period for request data, in days. */
  retention_days: z.int().min(1).max(365),
  /**
   * Maximum share of shadow conversations, from 0 to 1. In a shadow conversation, the gateway forwards all
   * tools and only records the plan, so that recall can be measured. If the share is 0, recall is not
   * measured.
   */
  shadow_share: z
    .number()
    .min(0)
    .max(1)
    .meta({
      description:
        'Maximum share of conversations in which all tools are forwarded to measure recall. If the share is 0, recall is not measured.',
      examples: [0.05],
    }),
  /**
   * Maximum share of shadow conversations while a bucket has fewer than 100 shadow conversations or its
   * recall is retested. See docs/internals/recall.md.
   */
  shadow_share_learning: z
    .number()
    .min(0)
    .max(1)
    .meta({
      description:
        'Maximum share of conversations in which all tools are forwarded, for a bucket with fewer than 100 measured conversations or a renewed recall test.',
      examples: [0.2],
    }),
  /** The scopes of an API key that is created without `scopes`. */
  default_key_scopes: keyScopes,
});
export type AccountPolicyBody = z.infer<typeof accountPolicy>;

const accountName = keepable(z.string().trim().min(1).max(200));

export const account = z.object({
  id,
  object: z.literal('account'),
  name: z.string(),
  is_demo: z.boolean(),
  created_at: timestamp,
  policy: accountPolicy,
});
export type Account = z.infer<typeof account>;

/** The login of the user that sent the request. */
export const accountPerson = z.object({
  email: z
    .string()
    .meta({ description: 'The e-mail address of the caller’s login.', examples: ['me@example.com'] }),
  email_verified: z.boolean().meta({
    description: 'Whether the user has verified the address with the link in an e-mail.',
    examples: [true],
  }),
});

/**
 * The account, as returned to its owner. The field `person` is absent for API keys, and for users of an
 * external identity issuer.
 */
export const ownAccount = account.extend({ person: accountPerson.optional() });
export type OwnAccount = z.infer<typeof ownAccount>;

/** A partial update of an account. Omitted fields keep their current values. */
export const updateAccountBody = z
  .strictObject({ name: accountName, policy: accountPolicy.partial() })
  .partial();
export type UpdateAccountBody = z.infer<typeof updateAccountBody>;

const status = z.enum(['pending', 'done']);

/**
 * The receipt for an account deletion. The receipt lists completed and remaining steps, and identifies no
 * person or account.
 */
export const accountDeletion = z.object({
  /** The id of the deletion, not of the account. Anyone with the deletion id may read the receipt. */
  id,
  object: z.literal('account.deletion'),
  /**
   * The status is `done` when every deletion step is done. The account's keys and login sessions stop working
   * before the first response is sent.
   */
  status,
  requested_at: timestamp,
  completed_at: timestamp.nullable(),
  /** Deletion steps, in execution order. Each deletion step is retried until the step succeeds. */
  steps: z.array(
    z.object({
      /** The service that deletes its own data in this deletion step. */
      service: z.string(),
      status,
      completed_at: timestamp.nullable(),
    }),
  ),
});
export type AccountDeletion = z.infer<typeof accountDeletion>;
