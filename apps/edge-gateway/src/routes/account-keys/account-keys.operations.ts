import {
  apiKey,
  apiKeyList,
  createApiKeyBody,
  createdApiKey,
  deletedApiKey,
  toolListBody,
} from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../http/operation.ts';

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
  body: { schema: createApiKeyBody },
  answer: {
    status: 201,
    description: 'The key and, this once, its secret in `key`.',
    schema: createdApiKey,
  },
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
