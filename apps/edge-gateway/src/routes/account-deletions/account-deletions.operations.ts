import { accountDeletion } from '@gateway/contracts';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

export const removeAccount: Operation = {
  id: 'deleteAccount',
  tag: 'Account',
  summary: 'Delete the account',
  description:
    'For good: its API keys, request log, tool statistics, routing data and stored provider credentials, and the log-in of the people who act for it. From the answer on none of its keys and sessions works, open streams end within 5 s, and other services forget the account one after the other. The answer is the receipt; `GET` of its `Location` says how far it has come, and needs no key. Entries of the billing ledger stay, without anything that names the account.',
  answer: {
    status: 202,
    description: 'The account is deleted, and what other services have of it is being deleted.',
    schema: accountDeletion,
    headers: { Location: 'Where the receipt can be read.' },
  },
};

export const readAccountDeletion: Operation = {
  id: 'getAccountDeletion',
  tag: 'Account',
  summary: 'Read the receipt of an account’s deletion',
  description: 'For whoever knows its id, since no key of the account works any more. It names nobody.',
  params: z.object({ deletion_id: z.uuid().describe('From the answer to the deletion.') }),
  answer: { status: 200, description: 'How far the deletion has come.', schema: accountDeletion },
};
