import { z } from 'zod';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The JSON Patch operations (RFC 6902) that patches in this repository use. */
export const patchOperations = z.array(
  z.strictObject({ op: z.enum(['add', 'replace']), path: z.string().startsWith('/'), value: z.json() }),
);
type Operation = z.output<typeof patchOperations>[number];

function applyAt(target: Json | undefined, path: readonly string[], operation: Operation): Json {
  const [key = '', ...rest] = path;
  const { value } = operation;
  if (Array.isArray(target)) {
    const index = key === '-' ? target.length : Number(key);
    const isInsertion = rest.length === 0 && operation.op === 'add';
    if (index > (isInsertion ? target.length : target.length - 1))
      throw new Error(`${operation.path} does not exist.`);
    const next = rest.length === 0 ? value : applyAt(target[index], rest, operation);
    return target.toSpliced(index, isInsertion ? 0 : 1, next);
  }
  if (target === undefined || target === null || typeof target !== 'object')
    throw new Error(`${operation.path} does not exist.`);
  if (rest.length === 0 && operation.op === 'replace' && !(key in target))
    throw new Error(`${operation.path} does not exist.`);
  return { ...target, [key]: rest.length === 0 ? value : applyAt(target[key], rest, operation) };
}

/** Applies JSON Patch operations to a document. Throws an error if a path does not exist. */
export function applyJsonPatch(document: Json, operations: readonly Operation[]): Json {
  return operations.reduce<Json>((patched, operation) => {
    const path = operation.path
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    return applyAt(patched, path, operation);
  }, document);
}
