import { uuidv7 } from 'uuidv7';

/** A new UUIDv7: ids made later sort later, so that rows land at the end of their indexes. */
export function newId(): string {
  return uuidv7();
}
