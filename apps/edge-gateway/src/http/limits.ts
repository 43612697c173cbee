/** What a connection may take of us, whichever protocol it speaks. */
export const connectionLimits = {
  /** Headers over this are answered 431. */
  headerBytesMax: 16 * 1024,
  /** Over HTTP/2, headers that are longer than this are not taken in at all: their stream is reset. */
  http2HeaderBytesMax: 64 * 1024,
  /** How long a connection may be silent between two requests. */
  keepAliveMs: 72_000,
  /** How long a request's headers may take, and a new connection's first bytes. */
  headersMs: 30_000,
  /** How long a request, its body included, may take to come in. */
  requestMs: 300_000,
} as const;
