import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ProtocolChooser } from './choose-protocol.ts';
import { answerConnectionError, connectionLimits } from './connection-limits.ts';
import { createHttp2Server } from './http2-server.ts';

/** A certificate chain and its private key, both in PEM format. */
export interface TlsIdentity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** A port that serves HTTP/1.1 and HTTP/2. */
export interface Listener {
  /** Accepts connections and serves HTTP/1.1. */
  readonly server: Server;
  /**
   * Closes idle connections immediately, and busy connections after they have sent their responses. HTTP/1.1
   * connections are closed by the HTTP server itself.
   */
  drain(): void;
}

const http1Options = {
  maxHeaderSize: connectionLimits.headerBytesMax,
  noDelay: true,
  keepAliveTimeout: connectionLimits.keepAliveMs,
  headersTimeout: connectionLimits.headersMs,
  requestTimeout: connectionLimits.requestMs,
};

/**
 * Over plain text, the first bytes of a connection determine the protocol, because AWS's SDK uses HTTP/2 without
 * negotiation by default. Over TLS, the protocol is negotiated through ALPN.
 */
export function createListener(serveRequest: RequestListener, tls: TlsIdentity | undefined): Listener {
  return tls === undefined ? listenInPlainText(serveRequest) : listenSecurely(serveRequest, tls);
}

function listenInPlainText(serveRequest: RequestListener): Listener {
  const server = createServer(http1Options, serveRequest);
  const http2 = createHttp2Server(serveRequest);
  const serveHttp1 = takeOver(server, 'connection');
  const chooser = new ProtocolChooser(
    {
      serveHttp1,
      serveHttp2: (socket) => http2.serve(socket),
      refuseSilent: (socket) => answerConnectionError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket),
    },
    connectionLimits.headersMs,
  );
  server.on('connection', (socket) => chooser.take(socket));
  const drain = (): void => {
    chooser.close();
    http2.close();
  };
  return { server, drain };
}

function listenSecurely(serveRequest: RequestListener, tls: TlsIdentity): Listener {
  const server = createSecureServer(
    { ...http1Options, ...tls, ALPNProtocols: ['h2', 'http/1.1'], minVersion: 'TLSv1.2' },
    serveRequest,
  );
  const http2 = createHttp2Server(serveRequest);
  const serveHttp1 = takeOver(server, 'secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.serve(socket);
    else serveHttp1(socket);
  });
  return { server, drain: () => http2.close() };
}

/**
 * Removes the server's listener for new connections and returns the listener. The caller chooses the protocol of a
 * new connection before it calls the listener.
 */
function takeOver(server: Server, event: 'connection' | 'secureConnection'): (socket: Socket) => void {
  const [serve] = server.listeners(event);
  if (serve === undefined)
    throw new Error(`this version of Node has no listener for the ${event} event of an HTTP server`);
  server.removeAllListeners(event);
  return (socket) => {
    serve.call(server, socket);
  };
}
