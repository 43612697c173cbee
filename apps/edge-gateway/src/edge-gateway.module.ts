import { Module, type DynamicModule, type InjectionToken, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access/access.guard.ts';
import { ACCOUNT_LIMITS, RateLimitGuard } from './access/rate-limit.guard.ts';
import { EGRESS_GUARD, LOGGER, MESSAGING, MODEL_CATALOG, SEALING_KEYS } from './access/tokens.ts';
import { CONNECTIONS } from './connections/connections.ts';
import { DASHBOARD } from './dashboard/dashboard.ts';
import { EDGE_PARTS, type EdgeParts } from './edge-parts.ts';
import { GrantCache } from './grants/grant-cache.ts';
import { ErrorFilter } from './http/error.filter.ts';
import { IdentityClient } from './login-sessions/identity-client.ts';
import { LoginSessionGate } from './login-sessions/login-session-gate.ts';
import { Reference } from './openapi/render-document.ts';
import { checkScopes } from './openapi/operation-scopes.ts';
import { listRoutes } from './openapi/route-table.ts';
import { PIPELINE_SERVICES } from './pipeline/services.ts';
import { RATE_LIMITER } from './rate-limits/rate-limiter.port.ts';
import { RateCeiling } from './grants/rate-ceiling.ts';
import { PIPELINE_SETTINGS } from './request/settings.ts';
import { DOCS_FILES } from './static-files/static-files.ts';
import { AccountRoute } from './routes/account/account.route.ts';
import { AuditRoute } from './routes/audit/audit.route.ts';
import { BillingRoute } from './routes/billing/billing.route.ts';
import { ChatRoute } from './routes/chat/chat.route.ts';
import { KeysRoute } from './routes/keys/keys.route.ts';
import { ModelsRoute } from './routes/models/models.route.ts';
import { DashboardRoute } from './routes/pages/dashboard.route.ts';
import { DocumentationRoute } from './routes/pages/documentation.route.ts';
import { HealthRoute, HelloRoute } from './routes/pages/health.route.ts';
import { ProvidersRoute } from './routes/providers/providers.route.ts';
import { ProxiesRoute } from './routes/proxies/proxies.route.ts';
import { VideosRoute } from './routes/proxies/videos.route.ts';
import { RequestsRoute } from './routes/requests/requests.route.ts';
import { RoutingInsightsRoute } from './routes/routing/insights.route.ts';
import { DeclaredModelsRoute } from './routes/routing/declared-models.route.ts';
import { RoutingModelsRoute } from './routes/routing/models.route.ts';
import { RoutingPreferencesRoute } from './routes/routing/preferences.route.ts';
import { AUTH_SETTINGS } from './routes/sign-in/browser-request.ts';
import { MailLinksRoute } from './routes/sign-in/mail-links.route.ts';
import { SignInRoute } from './routes/sign-in/sign-in.route.ts';
import { ToolHealthRoute } from './routes/usage/tool-health.route.ts';
import { UsageRoute } from './routes/usage/usage.route.ts';

/** All routes of the public interface. */
export const controllers: Type[] = [
  ChatRoute,
  ProxiesRoute,
  VideosRoute,
  ModelsRoute,
  AccountRoute,
  KeysRoute,
  ProvidersRoute,
  RoutingPreferencesRoute,
  RoutingModelsRoute,
  DeclaredModelsRoute,
  RoutingInsightsRoute,
  RequestsRoute,
  UsageRoute,
  ToolHealthRoute,
  AuditRoute,
  BillingRoute,
  SignInRoute,
  MailLinksRoute,
  DashboardRoute,
  DocumentationRoute,
  HealthRoute,
  HelloRoute,
];

/** If an OpenID Connect issuer is configured, the routes for the embedded identity are not registered. */
function chooseControllers({ identity }: EdgeParts): Type[] {
  if (identity !== null) return controllers;
  return controllers.filter((each) => each !== SignInRoute && each !== MailLinksRoute);
}

/**
 * The public HTTP interface of the gateway. The module contains the routes, their services, and the guard that
 * denies access by default.
 */
@Module({})
export class EdgeGatewayModule {
  /** Throws an error if a route that accepts API keys declares no scope, so the gateway does not start. */
  static forRoot(parts: EdgeParts, spoolModule: DynamicModule): DynamicModule {
    checkScopes(listRoutes(controllers));
    const { identity } = parts;
    return {
      module: EdgeGatewayModule,
      imports: [spoolModule],
      controllers: chooseControllers(parts),
      providers: [
        { provide: EDGE_PARTS, useValue: parts },
        ...serviceProviders,
        ...(identity === null ? [] : [provideFrom(IdentityClient, () => identity)]),
        // Nest runs the guards in the order in which they are listed here.
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    };
  }
}

const serviceProviders: readonly Provider[] = [
  provideFrom(PIPELINE_SERVICES, ({ pipeline }) => pipeline),
  provideFrom(PIPELINE_SETTINGS, ({ pipeline }) => pipeline.settings),
  provideFrom(GrantCache, ({ pipeline }) => pipeline.grants),
  provideFrom(RATE_LIMITER, ({ pipeline }) => pipeline.rateLimiter),
  provideFrom(CONNECTIONS, ({ pipeline }) => pipeline.connections),
  provideFrom(MESSAGING, ({ pipeline }) => pipeline.messaging),
  provideFrom(MODEL_CATALOG, ({ pipeline }) => pipeline.catalog),
  provideFrom(LOGGER, ({ pipeline }) => pipeline.log),
  provideFrom(LoginSessionGate, ({ loginSessions }) => loginSessions),
  provideFrom(AUTH_SETTINGS, ({ authSettings }) => authSettings),
  provideFrom(DASHBOARD, ({ dashboard }) => dashboard),
  provideFrom(ACCOUNT_LIMITS, ({ accountLimits }) => accountLimits),
  provideFrom(SEALING_KEYS, ({ sealingKeys }) => sealingKeys),
  provideFrom(EGRESS_GUARD, ({ egressGuard }) => egressGuard),
  provideFrom(RateCeiling, ({ rateCeiling }) => rateCeiling),
  provideFrom(DOCS_FILES, ({ docsFiles }) => docsFiles),
  provideFrom(Reference, (parts) => new Reference(() => listRoutes(chooseControllers(parts)))),
];

/** Provides one of the services in `EdgeParts` through dependency injection. */
function provideFrom(token: InjectionToken, choose: (parts: EdgeParts) => unknown): Provider {
  return { provide: token, useFactory: choose, inject: [EDGE_PARTS] };
}
