import type { ErrorCode } from '@gateway/errors';
import { z } from 'zod';

/** Request headers allowed on every chat request, in addition to the headers that its format defines. */
export const chatRequestHeaders = z.object({
  'X-Svc-Session-Id': z.string().optional().meta({
    description: 'Any text. Requests with the same text form a session, and their tool set stays stable.',
  }),
  'X-Svc-Strict': z.enum(['true', 'false']).optional().meta({
    description:
      'With `true`, a request that the provider’s format cannot fully express is a 400 `translation_loss`. Otherwise the gateway forwards what the format can express and lists the losses in `x-svc-losses`.',
  }),
});

/** Response headers that the gateway adds to chat responses. */
export const chatAnswerHeaders = {
  'x-svc-provider': 'The provider that answered.',
  'x-svc-model': 'The model that was called.',
  'x-svc-overhead-ms': 'Milliseconds that the gateway needed before it called the provider.',
  'x-svc-attempts': 'Number of provider calls for this response. Only if there was more than one.',
  'x-svc-tools-input':
    'Number of tools in the client’s request, before the key’s tool lists. Only with tools.',
  'x-svc-tools-output':
    'Number of tools that the provider receives, the recovery tool included. Deferred tools do not count. Only with tools.',
  'x-svc-prune-ratio': '`output/input` as text, for example `12/117`. Only with tools.',
  'x-svc-routing': 'How tools were chosen: `semantic` or `keyword`. Only if tools were pruned.',
  'x-svc-ctx-tokens-in':
    'Estimated tokens of the conversation as received. Only if the compressor processed the conversation.',
  'x-svc-ctx-tokens-out': 'Estimated tokens of the conversation as sent to the provider.',
  'x-svc-ctx-tokens-saved': 'Estimated tokens that compression saved: the difference of the two.',
  'x-svc-budget':
    '`exhausted`: the key’s saved-token budget is used up, and the request was sent unoptimized. `unknown`: the budget could not be checked.',
  'x-svc-losses': 'Parts of the request that the provider’s format cannot express. Only if there were any.',
  'x-svc-error-source': '`provider` if the error is the provider’s own.',
} as const;

/** Errors that a chat request may return in every format. */
export const chatErrors: readonly ErrorCode[] = [
  'unbalanced_tool_calls',
  'tool_not_allowed',
  'ambiguous_tools',
  'too_many_tools',
  'ambiguous_model',
  'no_candidate_model',
  'provider_not_connected',
  'translation_loss',
  'egress_denied',
  'model_not_found',
  'saved_token_budget_exhausted',
  'provider_error',
  'upstream_unreachable',
  'upstream_invalid',
  'upstream_timeout',
  'upstream_unavailable',
  'request_loop',
  'overloaded',
];

/** The `model` field, for formats that name the model in the body. */
export const modelField = z.string().meta({
  description:
    'A model, `<provider>/<model>`, or a routing string: `svc/auto` (by task complexity, or by the `mode` of your routing preferences), `svc/cheap`, `svc/fast` or `svc/capable`.',
});

/** The gateway's extension to tool definitions, available in every format. */
export const examplesField = z.array(z.unknown()).optional().meta({
  description: 'Example requests for this tool. They help to choose tools and are never forwarded.',
});
