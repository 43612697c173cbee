import { createdApiKey, playgroundKeyBody } from '@gateway/contracts';
import { idempotencyHeaders, replayedHeaders } from '../../http/idempotency-key.ts';
import type { Operation } from '../../openapi/operation.ts';

export const createPlayground: Operation = {
  id: 'createPlaygroundKey',
  tag: 'API keys',
  summary: 'Create a short-lived key for the playground',
  description:
    'An ordinary key that is over in an hour, that lists leave out, and that cannot be changed. Five work at a time: the oldest ends when a sixth is made. `k_target_override` is as for any key; the body may be left out.',
  headers: idempotencyHeaders,
  body: { schema: playgroundKeyBody, optional: true },
  answer: {
    status: 201,
    description: 'The key and, this once, its secret in `key`.',
    schema: createdApiKey,
    headers: replayedHeaders,
  },
  errors: ['idempotency_key_reused'],
  creates: true,
};
