import type { ErrorCode } from '@gateway/errors';

/** What can befall a request on its way to a provider and back, in any chat format. */
export const chatErrors: readonly ErrorCode[] = [
  'unbalanced_tool_calls',
  'tool_not_allowed',
  'too_many_tools',
  'ambiguous_model',
  'no_candidate_model',
  'provider_not_connected',
  'translation_loss',
  'egress_denied',
  'model_not_found',
  'rate_limit_exceeded',
  'saved_token_budget_exhausted',
  'provider_error',
  'upstream_unreachable',
  'upstream_invalid',
  'upstream_timeout',
  'upstream_unavailable',
  'overloaded',
];
