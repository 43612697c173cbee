import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ProtocolChooser } from './choose-protocol.ts';
import { answerConnectionError, connectionLimits } from './connection-limits.ts';
import { createHttp2Server } from './http2-server.ts';

/** A certificate chain and its private key, both PEM. */
export interface TlsIdentity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** One port for HTTP/1.1 and HTTP/2. */
export interface Listener {
  /** Accepts the connections, and serves those of HTTP/1.1. */
  readonly server: Server;
  /** Lets go of what is idle, and of the rest as soon as it is answered; HTTP/1.1's the server ends by itself. */
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
 * In plain text the protocol is told by a connection's first bytes (HTTP/2 with prior knowledge, which AWS's SDK speaks
 * by default); under TLS by ALPN.
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

/** Takes the server's own listener for new connections out of it, so that another decides which it gets. */
function takeOver(server: Server, event: 'connection' | 'secureConnection'): (socket: Socket) => void {
  const [serve] = server.listeners(event);
  if (serve === undefined) throw new Error(`an HTTP server of this Node does not listen for ${event}`);
  server.removeAllListeners(event);
  return (socket) => {
    serve.call(server, socket);
  };
}
