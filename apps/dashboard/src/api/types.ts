import type { paths } from './generated/openapi.ts';

type Methods = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<Path extends keyof paths, Method extends Methods> = NonNullable<paths[Path][Method]>;

/** The request body of an API call, for example `Body<'/v1/account/keys', 'post'>`. */
export type Body<Path extends keyof paths, Method extends Methods> =
  Operation<Path, Method> extends { requestBody?: { content: { 'application/json': infer Sent } } }
    ? Sent
    : never;

/** The body of a successful response, for example `Answer<'/v1/account/keys', 'get'>`. */
export type Answer<Path extends keyof paths, Method extends Methods> =
  Operation<Path, Method> extends { responses: infer Responses }
    ? {
        [Status in keyof Responses]: Status extends 200 | 201 | 202
          ? Responses[Status] extends { content: { 'application/json': infer Body } }
            ? Body
            : never
          : never;
      }[keyof Responses]
    : never;

/** One item of a list in a response. */
export type Item<Path extends keyof paths> =
  Answer<Path, 'get'> extends { data: readonly (infer Entry)[] } ? Entry : never;

/** The possible statuses of a request. */
export const requestStatuses = ['ok', 'error', 'cancelled', 'truncated', 'interrupted'] as const;
export type RequestStatus = (typeof requestStatuses)[number];
