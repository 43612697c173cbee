import { z } from 'zod';

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
