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
/**
 * Errors for callers that use an API key to change API keys. Users with a login session never receive these errors.
 */
const grantErrors = ['own_key_change', 'grant_exceeds_key'] as const;
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
  description:
    'Only the name is required. The account’s policy applies to limits and scopes that are left out. A key with an expiry or a limit below the account’s does not get `manage` unless `scopes` names it. A key that an API key creates has at most what that key has: its scopes, limits, expiry and tool lists apply to fields that are left out, and a field that exceeds them is a 403 `grant_exceeds_key`.',
  headers: idempotencyHeaders,
  body: { schema: createApiKeyBody },
  answer: createdAnswer,
  errors: ['idempotency_key_reused', 'grant_exceeds_key'],
  creates: true,
};

export const createPlayground: Operation = {
  id: 'createPlaygroundKey',
  tag,
  summary: 'Create a short-lived key for the playground',
  description:
    'The key has only the scope `inference`, expires after an hour, is not listed and cannot be changed. An account has at most five of them: creating a sixth ends the oldest. `k_target_override` works as for any key. The body is optional.',
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
    'Fields left out do not change. With `null` the key inherits that limit from the account’s policy. A change that restricts the key (an expiry, or a limit below the account’s) removes `manage`, unless the same call names `scopes`. An API key cannot change itself, and cannot give another key more than it has.',
  params,
  body: { schema: updateApiKeyBody },
  answer: { status: 200, description: 'The changed key.', schema: apiKey },
  errors: grantErrors,
};

export const rotateApiKey: Operation = {
  id: 'rotateApiKey',
  tag,
  summary: 'Replace a key’s secret',
  description:
    'The key keeps its id, limits, lists and scopes. An API key cannot rotate itself, nor a key with more permissions than its own. The current secret continues to work for `overlap_seconds`. A secret in the overlap of an earlier rotation stops working immediately.',
  params,
  headers: idempotencyHeaders,
  body: { schema: rotateApiKeyBody, optional: true },
  answer: {
    status: 200,
    description: 'The key. Its new secret, in `key`, is shown only this time.',
    schema: rotatedApiKey,
    headers: replayedHeaders,
  },
  errors: ['idempotency_key_reused', ...grantErrors],
  creates: true,
};

export const setKeyToolLists: Operation = {
  id: 'setKeyToolLists',
  tag,
  summary: 'Set which tools a key may use',
  description:
    'Names must match exactly. A denied tool stays denied even when it is also allowed. Built-in tools are named by their type, and MCP servers by `mcp` and their label. The gateway removes other tools from requests, and calls of other tools from responses. A request whose tools servers could read in different ways returns 400 `ambiguous_tools`. `null` clears a list. A key that gets a list loses the scope `manage`; a later `PATCH` by a user or an unrestricted key can give it back. An API key cannot change its own lists, and cannot allow a tool that it may not use.',
  params,
  body: { schema: toolListBody },
  answer: { status: 200, description: 'The changed key.', schema: apiKey },
  errors: grantErrors,
};

export const revokeApiKey: Operation = {
  id: 'revokeApiKey',
  tag,
  summary: 'Revoke a key',
  description:
    'Every gateway rejects the key within a second. An API key with the scope `manage` may revoke itself: that takes rights away and grants none.',
  params,
  answer: { status: 200, description: 'The key is revoked.', schema: deletedApiKey },
};
