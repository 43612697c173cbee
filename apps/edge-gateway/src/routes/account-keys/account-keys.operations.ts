import {
  apiKey,
  apiKeyList,
  createApiKeyBody,
  createdApiKey,
  deletedApiKey,
  rotateApiKeyBody,
  rotatedApiKey,
  toolListBody,
  updateApiKeyBody,
} from '@gateway/contracts';
import { z } from 'zod';
import { idempotencyHeaders, replayedHeaders } from '../../http/idempotency-key.ts';
import type { Operation } from '../../openapi/operation.ts';

const params = z.object({ key_id: z.uuid().meta({ description: 'The id of a key of this account.' }) });

export const listApiKeys: Operation = {
  id: 'listApiKeys',
  tag: 'API keys',
  summary: 'List the account’s keys',
  description: 'Never their secrets.',
  answer: { status: 200, description: 'The keys, without those that were revoked.', schema: apiKeyList },
};

export const createApiKey: Operation = {
  id: 'createApiKey',
  tag: 'API keys',
  summary: 'Create a key',
  description: 'Only the name is needed; limits left out are those of the account’s policy.',
  headers: idempotencyHeaders,
  body: { schema: createApiKeyBody },
  answer: {
    status: 201,
    description: 'The key and, this once, its secret in `key`.',
    schema: createdApiKey,
    headers: replayedHeaders,
  },
  errors: ['idempotency_key_reused'],
  creates: true,
};

export const updateApiKey: Operation = {
  id: 'updateApiKey',
  tag: 'API keys',
  summary: 'Change a key',
  description:
    'What is left out stays as it is. A limit of `null` is inherited from the account’s policy again.',
  params,
  body: { schema: updateApiKeyBody },
  answer: { status: 200, description: 'The key as it is now.', schema: apiKey },
};

export const rotateApiKey: Operation = {
  id: 'rotateApiKey',
  tag: 'API keys',
  summary: 'Replace a key’s secret',
  description:
    'The key keeps its id, limits and lists. The present secret goes on working for `overlap_seconds`; one still in the overlap of an earlier rotation ends at once.',
  params,
  headers: idempotencyHeaders,
  body: { schema: rotateApiKeyBody, optional: true },
  answer: {
    status: 200,
    description: 'The key and, this once, its new secret in `key`.',
    schema: rotatedApiKey,
    headers: replayedHeaders,
  },
  errors: ['idempotency_key_reused'],
  creates: true,
};

export const setKeyToolLists: Operation = {
  id: 'setKeyToolLists',
  tag: 'API keys',
  summary: 'Set which tools a key may use',
  description:
    'Names match exactly; denied wins over allowed. Both apply before tools are pruned. `null` clears a list.',
  params,
  body: { schema: toolListBody },
  answer: { status: 200, description: 'The key as it is now.', schema: apiKey },
};

export const revokeApiKey: Operation = {
  id: 'revokeApiKey',
  tag: 'API keys',
  summary: 'Revoke a key',
  description: 'It is refused everywhere within a second.',
  params,
  answer: { status: 200, description: 'It is revoked.', schema: deletedApiKey },
};
