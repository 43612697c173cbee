import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { EdgeParts } from './edge-parts.ts';
import { AccessGuard } from './access/access.guard.ts';
import { ErrorFilter } from './http/error.filter.ts';
import { listRoutes } from './openapi/route-table.ts';
import { Reference } from './openapi/reference.ts';
import { AccountBillingRoute } from './routes/account-billing/account-billing.route.ts';
import { AccountDeletionsRoute } from './routes/account-deletions/account-deletions.route.ts';
import { AccountKeysRoute } from './routes/account-keys/account-keys.route.ts';
import { AccountProfileRoute } from './routes/account-profile/account-profile.route.ts';
import { AccountProvidersRoute } from './routes/account-providers/account-providers.route.ts';
import { AccountRegisterRoute } from './routes/account-register/account-register.route.ts';
import { AccountRequestsRoute } from './routes/account-requests/account-requests.route.ts';
import { AccountSessionsRoute } from './routes/account-sessions/account-sessions.route.ts';
import { AccountUsageRoute } from './routes/account-usage/account-usage.route.ts';
import { AuthRoute } from './routes/auth/auth.route.ts';
import { BillingActionsRoute } from './routes/billing-actions/billing-actions.route.ts';
import { ChatCompletionsRoute } from './routes/chat-completions/chat-completions.route.ts';
import { ConverseRoute } from './routes/converse/converse.route.ts';
import { DashboardRoute } from './routes/dashboard/dashboard.route.ts';
import { DocumentationRoute } from './routes/documentation/documentation.route.ts';
import { MessagesRoute } from './routes/messages/messages.route.ts';
import { ModelsRoute } from './routes/models/models.route.ts';
import { PlaygroundKeyRoute } from './routes/playground-key/playground-key.route.ts';
import { ProxiesRoute } from './routes/proxies/proxies.route.ts';
import { RoutingInsightsRoute } from './routes/routing-insights/routing-insights.route.ts';
import { RoutingModelsRoute } from './routes/routing-models/routing-models.route.ts';
import { RoutingPreferencesRoute } from './routes/routing-preferences/routing-preferences.route.ts';
import { SessionKeysRoute } from './routes/session-keys/session-keys.route.ts';
import { StripeWebhookRoute } from './routes/stripe-webhook/stripe-webhook.route.ts';
import { ToolHealthRoute } from './routes/tool-health/tool-health.route.ts';
import { tokens } from './tokens.ts';

/** Every route of the public door. */
export const controllers: Type[] = [
  ChatCompletionsRoute,
  MessagesRoute,
  ConverseRoute,
  ProxiesRoute,
  ModelsRoute,
  AccountProfileRoute,
  AccountDeletionsRoute,
  AccountKeysRoute,
  AccountProvidersRoute,
  RoutingPreferencesRoute,
  RoutingModelsRoute,
  RoutingInsightsRoute,
  AccountRequestsRoute,
  AccountUsageRoute,
  AccountSessionsRoute,
  ToolHealthRoute,
  AccountBillingRoute,
  BillingActionsRoute,
  StripeWebhookRoute,
  AccountRegisterRoute,
  PlaygroundKeyRoute,
  AuthRoute,
  SessionKeysRoute,
  DashboardRoute,
  DocumentationRoute,
];

/** The embedded identity's own, which are not there when another issuer stands in for it. */
const identityControllers: readonly Type[] = [AuthRoute, SessionKeysRoute];

function chooseControllers({ identity }: EdgeParts): Type[] {
  return identity === null ? controllers.filter((each) => !identityControllers.includes(each)) : controllers;
}

/** The public door: routes, the guard that denies by default, and what they need of the world. */
@Module({})
export class EdgeGatewayModule {
  static create(parts: EdgeParts, spoolModule: DynamicModule): DynamicModule {
    return {
      module: EdgeGatewayModule,
      imports: [spoolModule],
      controllers: chooseControllers(parts),
      providers: [
        ...renderProviders(parts),
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}

function renderProviders(parts: EdgeParts): Provider[] {
  const { pipeline, sessions, sealingKeys, egressGuard } = parts;
  return [
    { provide: tokens.pipeline, useValue: pipeline },
    { provide: tokens.grants, useValue: pipeline.grants },
    { provide: tokens.sessions, useValue: sessions },
    { provide: tokens.identity, useValue: parts.identity },
    { provide: tokens.authSettings, useValue: parts.authSettings },
    { provide: tokens.dashboard, useValue: parts.dashboard },
    { provide: tokens.rateLimiter, useValue: pipeline.rateLimiter },
    { provide: tokens.connections, useValue: pipeline.connections },
    { provide: tokens.messaging, useValue: pipeline.messaging },
    { provide: tokens.catalog, useValue: pipeline.catalog },
    { provide: tokens.settings, useValue: pipeline.settings },
    { provide: tokens.log, useValue: pipeline.log },
    { provide: tokens.sealingKeys, useValue: sealingKeys },
    { provide: tokens.egressGuard, useValue: egressGuard },
    { provide: tokens.reference, useValue: new Reference(() => listRoutes(chooseControllers(parts))) },
  ];
}
