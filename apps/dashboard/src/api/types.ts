import type { paths } from './generated/openapi.ts';

type Methods = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Operation<Path extends keyof paths, Method extends Methods> = NonNullable<paths[Path][Method]>;

/** What a call sends: `Body<'/v1/account/keys', 'post'>`. */
export type Body<Path extends keyof paths, Method extends Methods> =
  Operation<Path, Method> extends { requestBody?: { content: { 'application/json': infer Sent } } }
    ? Sent
    : never;

/** What a call answers when it succeeds: `Answer<'/v1/account/keys', 'get'>`. */
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

/** An item of a list that a call answers. */
export type Item<Path extends keyof paths> =
  Answer<Path, 'get'> extends { data: readonly (infer Entry)[] } ? Entry : never;

/** What a call may be asked with: `Query<'/v1/account/requests'>`. */
type Query<Path extends keyof paths> =
  Operation<Path, 'get'> extends { parameters: { query?: infer Asked } } ? NonNullable<Asked> : never;

/** How a request may have ended. */
export const requestStatuses = ['ok', 'error', 'cancelled', 'truncated', 'interrupted'] as const;
export type RequestStatus = (typeof requestStatuses)[number];
