import type { ErrorCode } from '@gateway/errors';
import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';

/** The sections of the API reference, in order. */
export const operationTags = [
  'Chat',
  'Proxies',
  'Models',
  'Account',
  'API keys',
  'Providers',
  'Routing',
  'Requests and usage',
  'Tool health',
  'Billing',
  'Login sessions',
  'Dashboard',
  'Documentation',
] as const;

/** A JSON body unless `contentType` says otherwise. */
interface OperationBody {
  readonly schema: z.ZodType;
  readonly contentType?: string;
  readonly description?: string;
  /** Whether the body is optional. */
  readonly optional?: boolean;
}

/** A successful response. */
export interface OperationAnswer extends Partial<OperationBody> {
  readonly status: number;
  readonly description: string;
  /** Headers in addition to `X-Request-ID`, by name, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A second form of the same response, by content type: an event stream. */
  readonly streams?: { readonly contentType: string; readonly description: string };
}

/**
 * Describes a route for its callers. `/openapi.json`, `/docs` and the authorization tests are generated from this
 * description, the route's paths and its access rule. There is no other description of routes.
 */
export interface Operation {
  /** Unique, lower camel case: `createKey`. */
  readonly id: string;
  readonly tag: (typeof operationTags)[number];
  /** A few words for lists. */
  readonly summary: string;
  /** What callers need to know in addition to the schemas. Markdown. */
  readonly description?: string;
  /** Path parameters, named in snake_case as in the path. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: OperationBody;
  readonly answer: OperationAnswer;
  /** Errors in addition to those of access, parameters and body. */
  readonly errors?: readonly ErrorCode[];
  /** Accepts the key also as `x-api-key`. */
  readonly takesKeyHeader?: boolean;
  /** Creates a new object on each call. */
  readonly creates?: boolean;
}

export const operationKey = 'gateway:operation';

/** Attaches the description to a route. A test fails for a route without one. */
export const Describe = (operation: Operation) => SetMetadata(operationKey, operation);

/**
 * The callers that a route allows. `api-key`: a caller with a valid API key. `session`: a user with a session token.
 * `api-key-or-session`: either. `pipeline`: the chat pipeline authenticates as its first stage and takes only API
 * keys. `public`: everyone. The wrong kind of credential is a 403 that names the right kind; the form of a credential
 * shows its kind without a lookup.
 */
export type Access = 'api-key' | 'session' | 'api-key-or-session' | 'pipeline' | 'public';

export const accessKey = 'gateway:access';

/** Sets the allowed callers of a route. A route without it rejects every caller. */
export const AllowAccess = (access: Access) => SetMetadata(accessKey, access);
