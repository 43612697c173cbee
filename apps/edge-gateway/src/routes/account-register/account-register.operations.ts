import { account, registerBody } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const register: Operation = {
  id: 'registerAccount',
  tag: 'Account',
  summary: 'Register the account of a person',
  description:
    'Makes the account of the session token’s subject, with the default policy, or finds the one it has: calling it again changes nothing. The body may be left out.',
  body: { schema: registerBody, optional: true },
  answer: { status: 200, description: 'The person’s account.', schema: account },
};
