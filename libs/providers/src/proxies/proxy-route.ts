import type { AuthScheme } from '../provider.ts';
import type { ProxyShape } from './proxy-shape.ts';

/** Where a provider takes requests of an endpoint, and how it wants them. */
export interface ProxyRoute {
  /** Under its base URL. `{model}` stands for the percent-encoded model. */
  readonly path: string;
  /** How the credential is shown, where that differs from the provider's chat endpoint. */
  readonly auth?: AuthScheme;
  /** The request is signed over its body, which therefore has to be there whole. */
  readonly isSigned?: true;
  /** For a provider whose bodies differ from the usual ones. Absent: bodies pass as they are. */
  readonly shape?: ProxyShape;
}
