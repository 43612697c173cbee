import { V7Generator } from 'uuidv7';

/**
 * Random numbers for request ids, generated in batches. By default, the UUID package fetches random bytes so
 * often that every third id requires a system call.
 */
const pool = new Uint32Array(1024);
let next = pool.length;

const generator = new V7Generator({
  nextUint32() {
    if (next === pool.length) {
      crypto.getRandomValues(pool);
      next = 0;
    }
    return pool[next++] as number;
  },
});

/** Creates a request id. The id is a UUIDv7 from the gateway, and never a value from the client. */
export function newRequestId(): string {
  return generator.generate().toString();
}
