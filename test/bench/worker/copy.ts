import type { ClientBase, Connection, Submittable } from 'pg';

/** As much of pg's connection as COPY needs; its types leave it out. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Runs a `COPY … TO STDOUT` and gives what came. */
export function copyOut(client: ClientBase, text: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return runCopy(client, text, {
    handleCopyOutResponse: () => undefined,
    // A view of pg's own buffer, which it goes on writing to.
    handleCopyData: ({ chunk }: { chunk: Buffer }) => chunks.push(Buffer.from(chunk)),
  }).then(() => Buffer.concat(chunks));
}

/** Runs a `COPY … FROM STDIN` with these bytes. */
export async function copyIn(client: ClientBase, text: string, bytes: Buffer): Promise<void> {
  await runCopy(client, text, {
    handleCopyInResponse: (connection: CopyConnection) => {
      connection.sendCopyFromChunk(bytes);
      connection.endCopyFrom();
    },
  });
}

/** https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-COPY, by pg's hooks for queries of one's own. */
function runCopy(client: ClientBase, text: string, hooks: object): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<null>();
  const query = {
    ...hooks,
    submit: (connection: Connection) => (connection as unknown as CopyConnection).query(text),
    handleCommandComplete: () => undefined,
    // After an error pg tells no more of the query.
    handleError: reject,
    handleReadyForQuery: () => resolve(null),
  };
  client.query(query as unknown as Submittable);
  return promise;
}
