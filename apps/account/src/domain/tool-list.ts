import { z } from 'zod';
import { Prisma } from '../persistence/account-database.ts';

const storedList = z.array(z.string()).nullable();

/** A list as it is stored. Null is no list. */
export function parseToolList(stored: unknown): string[] | null {
  return storedList.parse(stored);
}

/** A list as it is written: SQL's NULL for none, since JSON's null would be a value. */
export function renderToolList(list: string[] | null): string[] | typeof Prisma.DbNull {
  return list ?? Prisma.DbNull;
}

/** What a list takes as JSON. */
export function countToolListBytes(list: string[] | null): number {
  return list === null ? 0 : Buffer.byteLength(JSON.stringify(list));
}
