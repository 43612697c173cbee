import { account, accountDeletion, ownAccount, registerBody, updateAccountBody } from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

const tag = 'Account';

export const readAccount: Operation = {
  id: 'getAccount',
  tag,
  summary: 'Read the account',
  description:
    'The profile, and the policy that its keys inherit. With a session token of the embedded identity, `person` describes the caller’s login.',
  answer: { status: 200, description: 'The account.', schema: ownAccount },
};

export const changeAccount: Operation = {
  id: 'updateAccount',
  tag,
  summary: 'Change the account’s profile and policy',
  description:
    'Fields left out do not change. Limits apply within a second to every key that has no limit of its own. `content_logging` allows the gateway to store the contents of messages and tools; it is off by default. `retention_days` is how long stored contents are kept. `shadow_share` is the maximum share of conversations that are used to measure tool selection, and `shadow_share_learning` the maximum while a bucket learns. `default_key_scopes` are the scopes of keys that are created without `scopes`. An API key cannot raise a limit or the default scopes above its own.',
  body: { schema: updateAccountBody },
  answer: { status: 200, description: 'The changed account.', schema: account },
  errors: ['grant_exceeds_key'],
};

export const register: Operation = {
  id: 'registerAccount',
  tag,
  summary: 'Register the account of a user',
  description:
    'Creates an account with the default policy for the subject of the session token, or returns the existing one. Calling it again changes nothing. The body is optional.',
  body: { schema: registerBody, optional: true },
  answer: { status: 200, description: 'The user’s account.', schema: account },
};

export const removeAccount: Operation = {
  id: 'deleteAccount',
  tag,
  summary: 'Delete the account',
  description:
    'Permanently deletes the API keys, request log, tool statistics, routing data, stored provider credentials and sign-ins of the account. All its keys and sessions stop working immediately. Open streams end within 5 s, and each service then deletes its data. The response is a receipt. `GET` its `Location` without a key to follow the progress. Entries of the billing ledger are kept without anything that identifies the account.',
  answer: {
    status: 202,
    description: 'The account is deleted. Other services are deleting the data of this account.',
    schema: accountDeletion,
    headers: { Location: 'Address of the receipt.' },
  },
};

export const readAccountDeletion: Operation = {
  id: 'getAccountDeletion',
  tag,
  summary: 'Read the receipt of an account’s deletion',
  description:
    'Needs only the id of the receipt, because no key of the account works any more. The receipt identifies nobody.',
  params: z.object({ deletion_id: z.uuid().describe('From the response to the deletion.') }),
  answer: { status: 200, description: 'The progress of the deletion.', schema: accountDeletion },
};
