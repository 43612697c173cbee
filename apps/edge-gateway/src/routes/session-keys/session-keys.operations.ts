import { sessionKeySet } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const readSessionKeys: Operation = {
  id: 'getSessionKeys',
  tag: 'Sessions of people',
  summary: 'Read the keys that verify session tokens',
  description: 'A JWK set. A new key stands in it for a day before it signs.',
  answer: { status: 200, description: 'The keys.', schema: sessionKeySet },
  errors: ['not_found', 'service_unavailable'],
};
