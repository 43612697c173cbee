import { V7Generator } from 'uuidv7';

/**
 * Random words, drawn in batches. By default the package draws eight words at a time, which costs a system
 * call for every third id.
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

/** Creates a request id: a UUIDv7, never a value sent by the client. */
export function newRequestId(): string {
  return generator.generate().toString();
}
