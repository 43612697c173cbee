import type { Access } from '../http/access.ts';
import type { Operation } from '../http/operation.ts';

/** How callers say who they are. */
export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of the gateway, `sk-svc-…`.',
  },
  apiKeyHeader: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The same key, where older clients of the messages format send it.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The session token of a person who has logged in.',
  },
} as const;

type Requirement = Record<string, string[]>;

const requirements: Readonly<Record<Access, readonly Requirement[]>> = {
  'api-key': [{ apiKey: [] }],
  pipeline: [{ apiKey: [] }],
  session: [{ session: [] }],
  'api-key-or-session': [{ apiKey: [] }, { session: [] }],
  public: [],
};

/** Any one of the requirements is enough; none at all means that anybody may call. */
export function renderSecurity(access: Access, { takesKeyHeader }: Operation): Requirement[] {
  return [...requirements[access], ...(takesKeyHeader ? [{ apiKeyHeader: [] }] : [])];
}
