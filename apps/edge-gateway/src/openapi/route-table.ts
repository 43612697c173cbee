import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { accessKey, type Access, operationKey, type Operation } from './operation.ts';

/** A route, as declared through its decorators. */
export interface RouteRow {
  readonly method: 'HEAD' | 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Paths in the public notation (`/v1/account/keys/{key_id}`). The first path is the primary path, and all
   * further paths are aliases.
   */
  readonly paths: readonly [string, ...string[]];
  /** The access rule of the route. A route without an access rule rejects every caller. */
  readonly access: Access | undefined;
  readonly operation: Operation | undefined;
  /** The controller and method of the route, such as `KeysRoute.list`. */
  readonly name: string;
}

/**
 * Lists all routes of the controllers, in the order of the controllers' methods. The function reads the routes
 * only from the metadata of the decorators.
 */
export function listRoutes(controllers: readonly Type[]): RouteRow[] {
  return controllers.flatMap((controller) =>
    Object.getOwnPropertyNames(controller.prototype).flatMap((name) => {
      const handler: unknown = Object.getOwnPropertyDescriptor(controller.prototype, name)?.value;
      return typeof handler === 'function' ? parseRoute(controller, name, handler) : [];
    }),
  );
}

function parseRoute(controller: Type, name: string, handler: object): RouteRow[] {
  const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
  if (method === undefined) return [];
  const [first = '/', ...aliases] = pathsOf(controller).flatMap((prefix) =>
    pathsOf(handler).map((path) => renderPath(`${prefix}/${path}`)),
  );
  return [
    {
      method: RequestMethod[method] as RouteRow['method'],
      paths: [first, ...aliases],
      access: metadataOf(accessKey, handler, controller) as Access | undefined,
      operation: metadataOf(operationKey, handler, controller) as Operation | undefined,
      name: `${controller.name}.${name}`,
    },
  ];
}

function metadataOf(key: string, handler: object, controller: Type): unknown {
  return Reflect.getMetadata(key, handler) ?? Reflect.getMetadata(key, controller);
}

function pathsOf(target: object): string[] {
  const path = Reflect.getMetadata(PATH_METADATA, target) as string | string[] | undefined;
  return [path ?? '/'].flat();
}

/**
 * Converts a route path to the public notation. For example, `:keyId` becomes `{key_id}`. The wildcard `*`
 * (the rest of the path) becomes `{id}`.
 */
function renderPath(path: string): string {
  return path
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '')
    .replace(
      /:([A-Za-z]+)/g,
      (_, name: string) => `{${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}`,
    )
    .replace('*', '{id}');
}
