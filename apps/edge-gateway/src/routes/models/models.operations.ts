import { listOf } from '@gateway/contracts';
import { z } from 'zod';
import { rateLimitHeaders } from '../../http/chat-headers.ts';
import type { Operation } from '../../openapi/operation.ts';

/** A model in the common list format. */
export const listedModel = z
  .object({
    id: z.string().meta({ description: 'What `model` takes: `<provider>/<model>`.' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds; 0 where the release date is not known.' }),
    owned_by: z.string(),
    kind: z.string().meta({
      description:
        'What requests it takes: `chat` ones, or another kind; `unknown` of what only the provider lists.',
    }),
  })
  .meta({ id: 'Model' });

/** Lists of other gateways are paged: what their clients ask for beyond this is passed over. */
export const listModelsQuery = z.object({
  live: z.enum(['true', 'false']).default('false').meta({
    description:
      '`true`: with what the providers list themselves and the catalogue does not know yet. Asked for with your credentials, at most once a minute; a provider that does not answer is left out.',
  }),
});

export const listModels: Operation = {
  id: 'listModels',
  tag: 'Models',
  summary: 'List the models of the connected providers',
  description:
    'All that `model` takes by name, besides `svc/auto`, `svc/cheap`, `svc/fast` and `svc/capable`. Which of them those choose from: `GET /v1/account/routing/models`.',
  query: listModelsQuery,
  answer: {
    status: 200,
    description: 'The models.',
    schema: listOf(listedModel),
    headers: rateLimitHeaders,
  },
  errors: ['rate_limit_exceeded'],
};

export const getModel: Operation = {
  id: 'getModel',
  tag: 'Models',
  summary: 'Read one model',
  params: z.object({
    id: z.string().meta({ description: 'Its id. Slashes may stand as they are or percent-encoded.' }),
  }),
  answer: { status: 200, description: 'The model.', schema: listedModel, headers: rateLimitHeaders },
  errors: ['model_not_found', 'rate_limit_exceeded'],
};
