import type { RequestListener } from 'node:http';
import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { answerOversizedHeaders, connectionLimits } from './connection-limits.ts';

/** Maximum number of concurrent requests per HTTP/2 connection. */
const streamsMax = 128;

/**
 * Sizes of the HTTP/2 flow control windows. A window is the number of bytes that a client may send before the server
 * reads them. With the default window of 64 KiB, a large request needs one round trip for each 64 KiB.
 */
const windowBytes = { stream: 256 * 1024, connection: 1024 * 1024 };

type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Serves HTTP/2 on sockets that another server accepted. */
export interface Http2Server {
  serve(socket: Socket): void;
  /** Sends GOAWAY to every HTTP/2 client. Requests that are already open still run to completion. */
  close(): void;
}

/**
 * Creates an HTTP/2 server. Node's defaults limit floods of SETTINGS frames, pings, resets and header pairs.
 * @param serveRequest the handler that also serves HTTP/1.1, because Node's request and response objects have
 * one interface for both protocols
 */
export function createHttp2Server(serveRequest: RequestListener): Http2Server {
  const server = createServer(
    {
      settings: {
        maxConcurrentStreams: streamsMax,
        maxHeaderListSize: connectionLimits.http2HeaderBytesMax,
        initialWindowSize: windowBytes.stream,
        enablePush: false,
      },
      maxSessionInvalidFrames: 100,
      maxSessionRejectedStreams: 100,
      maxSettings: 32,
    },
    boundHeaders(serveRequest) as unknown as Http2Listener,
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(windowBytes.connection);
    session.once('close', () => sessions.delete(session));
    closeWhenIdle(session);
  });
  server.on('stream', boundStream);
  return {
    serve: (socket) => {
      // An HTTP/2 client that has closed its side of the connection reads no more responses.
      // HTTP/1.1 servers keep a connection open after the client has closed its side.
      socket.allowHalfOpen = false;
      server.emit('connection', socket);
    },
    close: () => {
      for (const session of sessions) session.close();
    },
  };
}

/**
 * Limits the size of HTTP/2 request headers. Node resets HTTP/2 streams with headers above Node's limit. The
 * gateway's own limit is lower, and headers above this limit lead to status 431, as over HTTP/1.1.
 */
function boundHeaders(serveRequest: RequestListener): RequestListener {
  return (request, response) => {
    // As in HTTP/1.1, the size of a header is the length of `name: value` plus a line ending.
    let bytes = 0;
    for (const text of request.rawHeaders) bytes += text.length + 2;
    if (bytes <= connectionLimits.headerBytesMax) serveRequest(request, response);
    else answerOversizedHeaders(response);
  };
}

/**
 * Closes idle HTTP/2 sessions. HTTP/2 sessions with open requests stay open, because a model may take a long
 * time to send its first byte.
 */
function closeWhenIdle(session: ServerHttp2Session): void {
  let openStreams = 0;
  session.on('stream', (stream) => {
    openStreams += 1;
    stream.once('close', () => (openStreams -= 1));
  });
  session.setTimeout(connectionLimits.keepAliveMs, () => {
    if (openStreams === 0) session.close();
  });
}

/** Cancels an HTTP/2 request that was not received completely in time. */
function boundStream(stream: ServerHttp2Stream): void {
  const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), connectionLimits.requestMs);
  const clear = (): void => clearTimeout(late);
  stream.once('end', clear).once('close', clear);
}
