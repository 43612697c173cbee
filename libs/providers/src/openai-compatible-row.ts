import type { ConnectionShape } from './provider/connection-fields.ts';
import type { AuthScheme, CredentialCheck } from './provider/http.ts';
import type { Provider, ProviderQuirks } from './provider/provider.ts';
import type { ProxyRoutes } from './provider/proxy-route.ts';
import { changeOpenAiRoutes, type RouteDifferences } from './proxies/proxy-routes.ts';

/** A provider with OpenAI's format. Fields that are omitted have the values of OpenAI's own API. */
interface OpenAiCompatibleRow {
  readonly name: string;
  readonly displayName: string;
  readonly baseUrl: string | null;
  readonly docsUrl: string | null;
  readonly auth?: AuthScheme;
  readonly connection?: ConnectionShape;
  /** Differences from `openAiRoutes`. A route is added, or replaces the existing route. Null removes a route. */
  readonly proxyRoutes?: RouteDifferences;
  /** Replaces all routes other than chat, for a provider that has few of OpenAI's endpoints. */
  readonly onlyProxyRoutes?: ProxyRoutes;
  readonly quirks?: ProviderQuirks;
  readonly takesPromptCacheKey?: boolean;
  readonly takesCustomTools?: boolean;
  /** Whether some of the provider's models accept tools only through the Responses API. */
  readonly hasResponsesModels?: boolean;
  readonly credentialCheck?: CredentialCheck;
}

/** Completes a row of the provider table. */
export const openAiCompatible = ({
  auth,
  proxyRoutes = {},
  onlyProxyRoutes,
  quirks,
  hasResponsesModels,
  ...row
}: OpenAiCompatibleRow): Provider => ({
  ...row,
  auth: auth ?? { kind: 'bearer' },
  chatPaths: {
    'chat-completions': '/chat/completions',
    ...(hasResponsesModels === true ? { responses: '/responses' } : {}),
  },
  proxyRoutes: onlyProxyRoutes ?? changeOpenAiRoutes(proxyRoutes),
  quirks: quirks ?? {},
});
