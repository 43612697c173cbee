import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { EdgeParts } from './edge-parts.ts';
import { AccessGuard } from './http/access.guard.ts';
import { ErrorFilter } from './http/error.filter.ts';
import { listRoutes } from './http/route-table.ts';
import { Reference } from './openapi/reference.ts';
import { AccountDeletionsRoute } from './routes/account-deletions/account-deletions.route.ts';
import { AccountKeysRoute } from './routes/account-keys/account-keys.route.ts';
import { AccountProfileRoute } from './routes/account-profile/account-profile.route.ts';
import { AccountProvidersRoute } from './routes/account-providers/account-providers.route.ts';
import { AccountRequestsRoute } from './routes/account-requests/account-requests.route.ts';
import { ChatCompletionsRoute } from './routes/chat-completions/chat-completions.route.ts';
import { ConverseRoute } from './routes/converse/converse.route.ts';
import { DocumentationRoute } from './routes/documentation/documentation.route.ts';
import { MessagesRoute } from './routes/messages/messages.route.ts';
import { ModelsRoute } from './routes/models/models.route.ts';
import { RoutingModelsRoute } from './routes/routing-models/routing-models.route.ts';
import { RoutingPreferencesRoute } from './routes/routing-preferences/routing-preferences.route.ts';
import { tokens } from './tokens.ts';

/** Every route of the public door. */
export const controllers = [
  ChatCompletionsRoute,
  MessagesRoute,
  ConverseRoute,
  ModelsRoute,
  AccountProfileRoute,
  AccountKeysRoute,
  AccountProvidersRoute,
  RoutingPreferencesRoute,
  RoutingModelsRoute,
  AccountDeletionsRoute,
  AccountRequestsRoute,
  DocumentationRoute,
];

/** The public door: routes, the guard that denies by default, and what they need of the world. */
@Module({})
export class EdgeGatewayModule {
  static create(parts: EdgeParts, spoolModule: DynamicModule): DynamicModule {
    return {
      module: EdgeGatewayModule,
      imports: [spoolModule],
      controllers,
      providers: [
        ...renderProviders(parts),
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}

function renderProviders({ pipeline, sessions, sealingKeys, egressGuard }: EdgeParts): Provider[] {
  return [
    { provide: tokens.pipeline, useValue: pipeline },
    { provide: tokens.grants, useValue: pipeline.grants },
    { provide: tokens.sessions, useValue: sessions },
    { provide: tokens.connections, useValue: pipeline.connections },
    { provide: tokens.messaging, useValue: pipeline.messaging },
    { provide: tokens.catalog, useValue: pipeline.catalog },
    { provide: tokens.settings, useValue: pipeline.settings },
    { provide: tokens.log, useValue: pipeline.log },
    { provide: tokens.sealingKeys, useValue: sealingKeys },
    { provide: tokens.egressGuard, useValue: egressGuard },
    { provide: tokens.reference, useValue: new Reference(() => listRoutes(controllers)) },
  ];
}
