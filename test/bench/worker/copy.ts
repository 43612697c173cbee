import type { ClientBase, Connection, Submittable } from 'pg';

/** The fields of a pg connection that COPY needs. pg's type definitions lack the fields for COPY. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Runs a `COPY … TO STDOUT` statement and returns its output. */
export function copyOut(client: ClientBase, text: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return runCopy(client, text, {
    handleCopyOutResponse: () => undefined,
    // Copies the chunk, because the chunk is a view of a buffer that pg overwrites later.
    handleCopyData: ({ chunk }: { chunk: Buffer }) => chunks.push(Buffer.from(chunk)),
  }).then(() => Buffer.concat(chunks));
}

/** Runs a `COPY … FROM STDIN` statement with the given bytes. */
export async function copyIn(client: ClientBase, text: string, bytes: Buffer): Promise<void> {
  await runCopy(client, text, {
    handleCopyInResponse: (connection: CopyConnection) => {
      connection.sendCopyFromChunk(bytes);
      connection.endCopyFrom();
    },
  });
}

/**
 * Implements https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY with pg's hooks for
 * custom queries.
 */
function runCopy(client: ClientBase, text: string, hooks: object): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<null>();
  const query = {
    ...hooks,
    submit: (connection: Connection) => (connection as unknown as CopyConnection).query(text),
    handleCommandComplete: () => undefined,
    // After an error, pg calls no further hooks for the COPY query.
    handleError: reject,
    handleReadyForQuery: () => resolve(null),
  };
  client.query(query as unknown as Submittable);
  return promise;
}
