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

/** Requests that one connection may have open at a time. */
const streamsMax = 128;

/** What a client may send ahead of our reading: the default of 64 KiB costs long requests a round trip for each. */
const windowBytes = { stream: 256 * 1024, connection: 1024 * 1024 };

type Http2Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** Serves HTTP/2 on connections that others accept. */
export interface Http2Server {
  serve(socket: Socket): void;
  /** Tells every client to go elsewhere; open requests are answered to their end. */
  close(): void;
}

/**
 * @param serveRequest the same that serves HTTP/1.1: Node gives it requests and responses of the same shape. Floods of
 * settings, pings, resets and header pairs are bounded by Node's defaults.
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
      // A client that has ended its side wants no more answers; HTTP/1.1's servers leave that open.
      socket.allowHalfOpen = false;
      server.emit('connection', socket);
    },
    close: () => {
      for (const session of sessions) session.close();
    },
  };
}

/** Node resets streams whose headers are too long; up to there a client is told why, as over HTTP/1.1. */
function boundHeaders(serveRequest: RequestListener): RequestListener {
  return (request, response) => {
    // As long as HTTP/1.1 would have made them: `name: value` and a line end.
    let bytes = 0;
    for (const text of request.rawHeaders) bytes += text.length + 2;
    if (bytes <= connectionLimits.headerBytesMax) serveRequest(request, response);
    else answerOversizedHeaders(response);
  };
}

/** A model may think for long before its first word: silence ends a session only where no request is open. */
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

/** A request that does not come to its end in time is given up. */
function boundStream(stream: ServerHttp2Stream): void {
  const late = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), connectionLimits.requestMs);
  const clear = (): void => clearTimeout(late);
  stream.once('end', clear).once('close', clear);
}
