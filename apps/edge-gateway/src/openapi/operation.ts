import type { ErrorCode } from '@gateway/errors';
import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';

/** The sections of the API reference, in order. */
/** The groups of operations, in the order of the reference, with their descriptions. */
export const tagTexts = {
  Chat: 'Chat requests in the formats of OpenAI, Anthropic and Amazon Bedrock.',
  Proxies: 'Stateless endpoints that forward the request without planning.',
  Models: 'The models of the connected providers.',
  Account: 'The profile, the policy, the audit log and the deletion of the account.',
  'API keys': 'The API keys of the account, with limits, scopes and tool lists.',
  Providers: 'The credentials of the model providers.',
  Routing: 'The choice of models and tools, and its explanation.',
  'Requests and usage': 'The request log, sessions, usage and analytics.',
  'Tool health': 'The quality of tool definitions, and tools that were needed but not forwarded.',
  Billing: 'The billing estimate and the subscription.',
  'Login sessions': 'Signing up, signing in and passwords.',
  Dashboard: 'The files of the dashboard.',
  Documentation: 'The API document, the reference and the documentation.',
  Health: 'Liveness and readiness.',
} as const;

export type OperationTag = keyof typeof tagTexts;
export const operationTags = Object.keys(tagTexts) as readonly OperationTag[];

/** The body of a request. The request body is JSON unless `contentType` specifies a different type. */
interface OperationBody {
  readonly schema: z.ZodType;
  readonly contentType?: string;
  readonly description?: string;
  /** Whether the request body is optional. */
  readonly optional?: boolean;
}

/** A successful response to an operation. */
export interface OperationAnswer extends Partial<OperationBody> {
  readonly status: number;
  readonly description: string;
  /** Descriptions of response headers other than `X-Request-ID`. The keys are header names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An alternative form of the response with a different content type, such as an event stream. */
  readonly streams?: { readonly contentType: string; readonly description: string };
}

/**
 * Documents a route in the API reference. The project generates `/openapi.json`, `/docs` and the authorization
 * tests from this description, the route's paths and its access rule. No other file describes the route.
 */
export interface Operation {
  /** Unique operation id in lower camel case, such as `createKey`. */
  readonly id: string;
  readonly tag: OperationTag;
  /** A short title of the operation for lists. */
  readonly summary: string;
  /** A Markdown text with information for API users that is not in the schemas. */
  readonly description?: string;
  /** Path parameters, named in snake_case as they appear in the path. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: OperationBody;
  readonly answer: OperationAnswer;
  /** Error codes of the operation. Errors of access checks and validation are added to the list. */
  readonly errors?: readonly ErrorCode[];
  /** Whether the route also accepts the API key in the header `x-api-key`. */
  readonly takesKeyHeader?: boolean;
  /** Whether each call of the operation creates a new object. */
  readonly creates?: boolean;
}

export const operationKey = 'gateway:operation';

/** Attaches the API description to a route. A test fails if a route has no description. */
export const Describe = (operation: Operation) => SetMetadata(operationKey, operation);

/**
 * The types of credentials that a route accepts. A route with `api-key` accepts callers that have a valid API key. A
 * route with `session` accepts users with a session token. A route with `api-key-or-session` accepts an API key
 * or a session token. On a route with `pipeline`, the first stage of the request pipeline checks the API key. A
 * route with `public` accepts every caller. If the caller sends the wrong kind of credential, the response has
 * status 403 and names the right kind. The gateway recognizes the type of a credential without a lookup.
 */
export type Access = 'api-key' | 'session' | 'api-key-or-session' | 'pipeline' | 'public';

export const accessKey = 'gateway:access';

/**
 * The rate limit that a call to a route counts against. The limit `requests` is the API key's rate limit for chat
 * requests. All other rate limits apply to the whole account. If a route declares no rate limit, GET requests count
 * as `read` and all others as `write`.
 */
export type RouteBudget = 'requests' | 'read' | 'analytics' | 'write' | 'export';

export const budgetKey = 'gateway:budget';

/** Sets the rate limit against which calls to the route count. */
export const CountAs = (budget: RouteBudget) => SetMetadata(budgetKey, budget);

/** Sets the credentials that a route accepts. A route without this decorator rejects every caller. */
export const AllowAccess = (access: Access) => SetMetadata(accessKey, access);
