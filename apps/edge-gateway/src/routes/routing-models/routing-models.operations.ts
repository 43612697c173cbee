import { modelToggle, modelToggleBody, routingModelList, routingModelStatusList } from '@gateway/contracts';
import type { Operation } from '../../openapi/operation.ts';

export const listRoutingModels: Operation = {
  id: 'listRoutingModels',
  tag: 'Routing',
  summary: 'List the models that routing can choose from',
  description:
    'The chat models of the connected providers that are turned on and within `allowed_providers` and `max_cost_usd_per_mtok`. What a request needs is held against them when it comes. `null` stands where no source says.',
  answer: { status: 200, description: 'The models.', schema: routingModelList },
};

export const listModelStatus: Operation = {
  id: 'listRoutingModelStatus',
  tag: 'Routing',
  summary: 'List all chat models of the connected providers with their state',
  description:
    'Whether each takes part in automatic routing, and what your own requests of the last 7 days (UTC, today included) showed of it. `null`: not measured. `first_token_*` is of streamed requests; `error_rate` counts answers that failed or broke; `tool_recall` is observed on requests whose tools were pruned, and is an upper bound.',
  answer: { status: 200, description: 'The models.', schema: routingModelStatusList },
};

export const toggleRoutingModel: Operation = {
  id: 'toggleRoutingModel',
  tag: 'Routing',
  summary: 'Take a model out of automatic routing, or into it again',
  description:
    'Requests that name the model itself are served all the same. The provider need not be connected. An alias of the catalogue stands for its model.',
  body: { schema: modelToggleBody },
  answer: { status: 200, description: 'What holds now.', schema: modelToggle },
  errors: ['model_not_found'],
};
