import type { ErrorCode } from '@gateway/errors';
import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';

/** The sections of the reference, in its order. */
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

/** A body of JSON unless `contentType` says otherwise. */
interface OperationBody {
  readonly schema: z.ZodType;
  readonly contentType?: string;
  readonly description?: string;
  /** Whether it may be left out. */
  readonly optional?: boolean;
}

/** An answer of an operation that succeeded. */
export interface OperationAnswer extends Partial<OperationBody> {
  readonly status: number;
  readonly description: string;
  /** Headers besides `X-Request-ID`, by name, and what each says. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A second form that the same answer may take, by content type: an event stream. */
  readonly streams?: { readonly contentType: string; readonly description: string };
}

/**
 * What a route is to its callers. `/openapi.json`, `/docs` and the authorization tests are made from this, from the
 * route's paths and from who may call it; nothing else describes a route.
 */
export interface Operation {
  /** Unique, lower camel case: `createKey`. */
  readonly id: string;
  readonly tag: (typeof operationTags)[number];
  /** A few words, for lists. */
  readonly summary: string;
  /** What a caller has to know beyond the schemas. Markdown. */
  readonly description?: string;
  /** Segments of the path, by the names that the path gives them in snake_case. */
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: OperationBody;
  readonly answer: OperationAnswer;
  /** Errors beyond those that follow from access, parameters and body. */
  readonly errors?: readonly ErrorCode[];
  /** Also takes the key as `x-api-key`. */
  readonly takesKeyHeader?: boolean;
  /** Makes something new each time it is called. */
  readonly creates?: boolean;
}

export const operationKey = 'gateway:operation';

/** Every route says what it takes and answers: a test fails on one that does not. */
export const Describe = (operation: Operation) => SetMetadata(operationKey, operation);

/**
 * Who may call a route. `api-key`: whoever has a valid key. `session`: a person with a session token. `api-key-or-session`:
 * either. `pipeline`: the chat pipeline authenticates by itself, as its first stage, and takes API keys alone. `public`:
 * anybody. The wrong kind is a 403 that says so; what kind it is shows by its form, so that it is told without a look-up.
 */
export type Access = 'api-key' | 'session' | 'api-key-or-session' | 'pipeline' | 'public';

export const accessKey = 'gateway:access';

/** Every route says who may call it: without this, nobody may. */
export const AllowAccess = (access: Access) => SetMetadata(accessKey, access);
