import {
  apiKey,
  apiKeyList,
  createApiKeyBody,
  createdApiKey,
  deletedApiKey,
  playgroundKeyBody,
  rotateApiKeyBody,
  rotatedApiKey,
  toolListBody,
  updateApiKeyBody,
} from '@gateway/contracts';
import { z } from 'zod';
import type { Operation, OperationAnswer } from '../../openapi/operation.ts';
import { idempotencyHeaders, replayedHeaders } from './idempotency-key.ts';

const tag = 'API keys';
const params = z.object({ key_id: z.uuid().meta({ description: 'The id of a key of this account.' }) });

export const listApiKeys: Operation = {
  id: 'listApiKeys',
  tag,
  summary: 'List the account’s keys',
  description: 'The list never contains secrets.',
  answer: { status: 200, description: 'All keys except revoked ones.', schema: apiKeyList },
};

const createdAnswer: OperationAnswer = {
  status: 201,
  description: 'The key. Its secret, in `key`, is shown only this time.',
  schema: createdApiKey,
  headers: replayedHeaders,
};

export const createApiKey: Operation = {
  id: 'createApiKey',
  tag,
  summary: 'Create a key',
  description: 'Only the name is required. The account’s policy applies to limits that are left out.',
  headers: idempotencyHeaders,
  body: { schema: createApiKeyBody },
  answer: createdAnswer,
  errors: ['idempotency_key_reused'],
  creates: true,
};

export const createPlayground: Operation = {
  id: 'createPlaygroundKey',
  tag,
  summary: 'Create a short-lived key for the playground',
  description:
    'The key expires after an hour, is not listed and cannot be changed. An account has at most five of them: creating a sixth ends the oldest. `k_target_override` works as for any key. The body is optional.',
  headers: idempotencyHeaders,
  body: { schema: playgroundKeyBody, optional: true },
  answer: createdAnswer,
  errors: ['idempotency_key_reused'],
  creates: true,
};

export const updateApiKey: Operation = {
  id: 'updateApiKey',
  tag,
  summary: 'Change a key',
  description:
    'Fields left out do not change. With `null` the key inherits that limit from the account’s policy.',
  params,
  body: { schema: updateApiKeyBody },
  answer: { status: 200, description: 'The changed key.', schema: apiKey },
};

export const rotateApiKey: Operation = {
  id: 'rotateApiKey',
  tag,
  summary: 'Replace a key’s secret',
  description:
    'The key keeps its id, limits and lists. The current secret continues to work for `overlap_seconds`. A secret in the overlap of an earlier rotation stops working immediately.',
  params,
  headers: idempotencyHeaders,
  body: { schema: rotateApiKeyBody, optional: true },
  answer: {
    status: 200,
    description: 'The key. Its new secret, in `key`, is shown only this time.',
    schema: rotatedApiKey,
    headers: replayedHeaders,
  },
  errors: ['idempotency_key_reused'],
  creates: true,
};

export const setKeyToolLists: Operation = {
  id: 'setKeyToolLists',
  tag,
  summary: 'Set which tools a key may use',
  description:
    'Names must match exactly. A denied tool stays denied even when it is also allowed. The lists apply before tools are pruned. `null` clears a list.',
  params,
  body: { schema: toolListBody },
  answer: { status: 200, description: 'The changed key.', schema: apiKey },
};

export const revokeApiKey: Operation = {
  id: 'revokeApiKey',
  tag,
  summary: 'Revoke a key',
  description: 'Every gateway rejects the key within a second.',
  params,
  answer: { status: 200, description: 'The key is revoked.', schema: deletedApiKey },
};
