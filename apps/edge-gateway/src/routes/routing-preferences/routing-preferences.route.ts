import {
  getPreferences,
  updatePreferences,
  updatePreferencesBody,
  type RoutingPreferences,
} from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import type { ModelCatalog } from '@gateway/model-catalog';
import { Controller, Get, Inject, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AllowAccess, Describe } from '../../openapi/operation.ts';
import type { AccountCaller } from '../../access/access.guard.ts';
import { FromCaller } from '../../access/access.guard.ts';
import { readJson } from '../../request/read-body.ts';
import { tokens } from '../../tokens.ts';
import { requireKnownNames } from './require-known-names.ts';
import { changePreferences, readPreferences } from './routing-preferences.operations.ts';

/** `/v1/account/routing/preferences`: how models, tools and schemas are chosen for the account. */
@Controller('/v1/account/routing/preferences')
@AllowAccess('api-key-or-session')
export class RoutingPreferencesRoute {
  readonly #messaging: Messaging;
  readonly #catalog: ModelCatalog;

  constructor(@Inject(tokens.messaging) messaging: Messaging, @Inject(tokens.catalog) catalog: ModelCatalog) {
    this.#messaging = messaging;
    this.#catalog = catalog;
  }

  @Get()
  @Describe(readPreferences)
  async read(@FromCaller() { accountId }: AccountCaller): Promise<RoutingPreferences> {
    return (await this.#messaging.call(getPreferences, { accountId })).preferences;
  }

  @Put()
  @Describe(changePreferences)
  async change(
    @FromCaller() { accountId }: AccountCaller,
    @Req() request: FastifyRequest,
  ): Promise<RoutingPreferences> {
    const body = await readJson(request, updatePreferencesBody);
    requireKnownNames(body, this.#catalog);
    return (await this.#messaging.call(updatePreferences, { accountId, body })).preferences;
  }
}
