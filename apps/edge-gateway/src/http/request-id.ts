import { V7Generator } from 'uuidv7';

/** Random words drawn at once. The package's own generator draws eight, a call into the system every third id. */
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

/** A request's id: a UUIDv7, never one that a client sent. */
export function newRequestId(): string {
  return generator.generate().toString();
}
