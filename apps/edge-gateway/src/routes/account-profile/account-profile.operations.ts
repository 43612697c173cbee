import { account, updateAccountBody } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const readAccount: Operation = {
  id: 'getAccount',
  tag: 'Account',
  summary: 'Read the account',
  description: 'Its profile, and the policy that its keys inherit.',
  answer: { status: 200, description: 'The account.', schema: account },
};

export const changeAccount: Operation = {
  id: 'updateAccount',
  tag: 'Account',
  summary: 'Change the account’s profile and policy',
  description:
    'What is left out stays as it is. Limits hold for every key that has none of its own, within a second. `content_logging` is the permission to store contents of messages and tools, off unless given; `retention_days` is how long what is stored may be kept; `shadow_share` is the share of sessions that may be used to measure tool selection.',
  body: { schema: updateAccountBody },
  answer: { status: 200, description: 'The account as it is now.', schema: account },
};
