export { renderClientHeaders, type ClientHeaders } from './client-headers.ts';
export {
  connectionFields,
  type ConnectionField,
  type ConnectionFields,
  type SavedConnection,
} from './connections/connection-fields.ts';
export { connectionShapeOf, resolveConnection } from './connections/resolve-connection.ts';
export {
  createEgressGuard,
  type EgressGuard,
  type EgressGuardOptions,
  type Lookup,
} from './egress/egress-guard.ts';
export { formatsOf, type AuthScheme, type Provider, type ProviderQuirks } from './provider.ts';
export { findProvider, providerNames } from './provider-table.ts';
export { proxyEndpoints, type ProxyEndpoint } from './proxies/proxy-endpoint.ts';
export type { ProxyRoute } from './proxies/proxy-route.ts';
export { proxyRouteOf } from './proxies/proxy-routes.ts';
export type { JsonFields, MappedRequest, ProxyShape } from './proxies/proxy-shape.ts';
export {
  createHostedCredential,
  hostedBaseUrl,
  parseHostedCredential,
  renderHostedCredential,
  type HostedCredential,
  type HostedFields,
} from './sigv4/hosted-credential.ts';
export { signUpstreamRequest, type UpstreamBody } from './sign-upstream-request.ts';
export {
  renderUpstreamRequest,
  type IncomingHeaders,
  type UpstreamCall,
  type UpstreamRequest,
} from './upstream-request.ts';
