import {
  declaredModel,
  declaredModelBody,
  declaredModelList,
  deletedDeclaredModel,
  deleteDeclaredModel,
  listDeclaredModels,
  putDeclaredModel,
  type DeclaredModel,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/errors';
import type { Messaging } from '@gateway/messaging';
import { findProvider, formatsOf } from '@gateway/providers';
import { Controller, Delete, Get, Inject, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { MESSAGING } from '../../access/tokens.ts';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';
import { explainUnknownProvider } from '../../request/find-nearest.ts';
import { readJson } from '../../request/read-body.ts';

const params = z.object({
  provider: z.string().meta({ description: 'The provider that serves the model.', examples: ['vllm'] }),
  id: z.string().meta({
    description: 'The id of the model, as the provider spells it. Slashes may be percent-encoded.',
    examples: ['house-model-8b'],
  }),
});

const listModels: Operation = {
  id: 'listDeclaredModels',
  tag: 'Routing',
  summary: 'List the models that the account declares',
  description:
    'Declared models add to the catalog, or replace facts of the catalog for this account. `GET /v1/models` lists them while their provider is connected.',
  answer: { status: 200, description: 'The declared models, by provider and id.', schema: declaredModelList },
};

const putModel: Operation = {
  id: 'putDeclaredModel',
  tag: 'Routing',
  summary: 'Declare a model of a provider',
  description:
    'Tells the gateway the prices, limits, capabilities and aliases of a model that the catalog does not contain, or that differs for this account. The declaration applies to `GET /v1/models`, to routing strings such as `svc/auto`, and to costs. A second call replaces the declaration.',
  params,
  body: { schema: declaredModelBody },
  answer: { status: 200, description: 'The declared model.', schema: declaredModel },
};

const deleteModel: Operation = {
  id: 'deleteDeclaredModel',
  tag: 'Routing',
  summary: 'Delete a declaration',
  description: 'The facts of the catalog apply again. Requests that name the model directly still work.',
  params,
  answer: { status: 200, description: 'The declaration is deleted.', schema: deletedDeclaredModel },
  errors: ['not_found'],
};

/** Serves `/v1/account/models`, with the models that an account declares for its providers. */
@Controller('/v1/account/models')
@AllowAccess('api-key-or-session')
export class DeclaredModelsRoute {
  readonly #messaging: Messaging;

  constructor(@Inject(MESSAGING) messaging: Messaging) {
    this.#messaging = messaging;
  }

  @Get()
  @Describe(listModels)
  async list(@FromCaller() { accountId }: AccountCaller): Promise<{ object: 'list'; data: DeclaredModel[] }> {
    const { models } = await this.#messaging.call(listDeclaredModels, { accountId });
    return { object: 'list', data: models };
  }

  @Put('/:provider/*')
  @Describe(putModel)
  async put(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<DeclaredModel> {
    const name = readName(request);
    requireChatProvider(name.provider);
    const body = await readJson(request, declaredModelBody);
    return (await this.#messaging.call(putDeclaredModel, { accountId, actor, ...name, body })).model;
  }

  @Delete('/:provider/*')
  @Describe(deleteModel)
  async delete(
    @FromCaller() { accountId, actor }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<z.output<typeof deletedDeclaredModel>> {
    const name = readName(request);
    const { deleted } = await this.#messaging.call(deleteDeclaredModel, { accountId, actor, ...name });
    const id = `${name.provider}/${name.modelId}`;
    if (!deleted)
      throw new GatewayError('not_found', {
        message: `The account declares no model "${id}". GET /v1/account/models lists the declared models.`,
      });
    return { id, object: 'account.model.deleted', deleted };
  }
}

/** Maximum number of characters in the id of a model. */
const modelIdCharsMax = 256;

/** Reads the provider and the model from the path. The model is the entire rest of the path. */
function readName(request: FastifyRequest): { readonly provider: string; readonly modelId: string } {
  const { provider = '', '*': modelId = '' } = request.params as Record<string, string>;
  if (modelId.trim() !== '' && modelId.length <= modelIdCharsMax && !modelId.includes('\0'))
    return { provider, modelId };
  const message = `The model in the path must have 1 to ${modelIdCharsMax} characters.`;
  throw new GatewayError('invalid_field', { param: 'id', message });
}

function requireChatProvider(name: string): void {
  const provider = findProvider(name);
  if (provider !== undefined && name !== 'sandbox' && formatsOf(provider).length > 0) return;
  const message =
    provider === undefined
      ? explainUnknownProvider(name)
      : `The provider "${name}" has no chat models that an account can declare.`;
  throw new GatewayError('invalid_field', { param: 'provider', message });
}
