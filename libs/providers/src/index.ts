export { renderClientHeaders, type ClientHeaders } from './client-headers.ts';
export {
  connectionFields,
  type ConnectionField,
  type ConnectionFields,
  type ConnectionShape,
  type SavedConnection,
} from './provider/connection-fields.ts';
export {
  judgeCredential,
  mayListPublicly,
  renderCredentialCheck,
  type CheckedConnection,
} from './credential-check.ts';
export { checkCredential } from './connections/check-credential.ts';
export { checkIssuer } from './connections/check-issuer.ts';
export { connectionShapeOf, resolveConnection } from './connections/resolve-connection.ts';
export {
  createEgressGuard,
  type EgressGuard,
  type EgressGuardOptions,
  type Lookup,
} from './egress/egress-guard.ts';
export type { OwnEndpoints } from './egress/own-endpoints.ts';
export { formatsOf, proxyRouteOf, type Provider, type ProviderQuirks } from './provider/provider.ts';
export type { AuthScheme, IncomingHeaders } from './provider/http.ts';
export { findProvider, providerNames } from './provider-table.ts';
export {
  proxyEndpoints,
  type JsonFields,
  type MappedRequest,
  type ProxyEndpoint,
  type ProxyRoute,
  type ProxyShape,
  type VideoRequest,
  type VideoRoutes,
} from './provider/proxy-route.ts';
export {
  createHostedCredential,
  hostedBaseUrl,
  parseHostedCredential,
  renderHostedCredential,
  type HostedCredential,
  type HostedFields,
} from './credentials/hosted-credential.ts';
export { signUpstreamRequest, type UpstreamBody } from './sign-upstream-request.ts';
export { renderUpstreamRequest, type UpstreamCall, type UpstreamRequest } from './upstream-request.ts';
