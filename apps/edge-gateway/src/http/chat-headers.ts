import { z } from 'zod';

/** Headers that a chat request may carry, beside those of its format. */
export const chatRequestHeaders = z.object({
  'X-Svc-Session-Id': z
    .string()
    .optional()
    .meta({ description: 'Any text; groups requests into a conversation, and keeps its tools together.' }),
  'X-Svc-Strict': z.enum(['true', 'false']).optional().meta({
    description:
      'With `true`, a request that the provider’s format cannot carry whole is a 400 `translation_loss`; without, what is lost is named in `x-svc-losses`.',
  }),
});

/** Whenever the key is valid. */
export const rateLimitHeaders = {
  'x-ratelimit-limit-requests': 'Requests that the key may make in a minute.',
  'x-ratelimit-remaining-requests': 'How many of them are left.',
  'x-ratelimit-reset-requests': 'When all of them are there again, as a duration (`1.2s`).',
} as const;

/** What the gateway adds to a chat answer. */
export const chatAnswerHeaders = {
  ...rateLimitHeaders,
  'x-svc-provider': 'The provider that answered.',
  'x-svc-model': 'The model that was asked.',
  'x-svc-overhead-ms': 'Milliseconds that the gateway itself took before the provider was called.',
  'x-svc-attempts': 'Provider calls that were made for the answer. Only when it took more than one.',
  'x-svc-tools-input': 'Number of tools of the request that the key may use. Only with tools.',
  'x-svc-tools-output': 'Number of tools forwarded. Only with tools.',
  'x-svc-prune-ratio': '`output/input`, as text: `12/117`. Only with tools.',
  'x-svc-routing': 'How tools were chosen: `semantic` or `keyword`. Only when the list was pruned.',
  'x-svc-ctx-tokens-in':
    'Tokens of the conversation as it came, estimated. Only with tools, or when it was compressed.',
  'x-svc-ctx-tokens-out': 'Tokens of the conversation as it went out, estimated.',
  'x-svc-ctx-tokens-saved':
    'What compression of the conversation saved, estimated: the difference of the two.',
  'x-svc-budget':
    '`exhausted`: the key’s saved-token budget is used up, and the request went out unoptimized; `unknown`: nobody could tell.',
  'x-svc-losses': 'What of the request the provider’s format could not carry. Only when something was lost.',
  'x-svc-error-source': '`provider`, with a provider’s own error.',
} as const;
