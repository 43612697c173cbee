import { GatewayError } from '@gateway/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StaticFile } from './static-files.ts';

/** A response with a file, or 304 if the browser already has the file. */
export interface FileAnswer {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface FileRequest {
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
  /** The page's Content-Security-Policy, as returned by `renderPolicy`. */
  readonly policy: string;
}

/**
 * The Content-Security-Policy for pages of the dashboard and of the documentation. A page may run only the
 * gateway's own files, and connect only to the gateway and to the OpenID Connect issuer, if one is given. Inline
 * code is forbidden.
 */
export function renderPolicy(issuer: string | undefined): string {
  const connect = issuer === undefined ? "'self'" : `'self' ${new URL(issuer).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Sends a file to a browser with a policy from `renderPolicy`. Throws `not_found` if the file is undefined. */
export function sendFile(
  file: StaticFile | undefined,
  policy: string,
  { headers }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
): Buffer {
  if (file === undefined) throw new GatewayError('not_found');
  const answer = renderFile(file, {
    acceptEncoding: [headers['accept-encoding'] ?? ''].flat().join(','),
    ifNoneMatch: headers['if-none-match'] ?? '',
    policy,
  });
  void reply.status(answer.status).headers(answer.headers);
  return answer.body;
}

/**
 * Renders the response with a file. A file with a content hash in its name is cached for a year. A
 * browser revalidates a file without a content hash in its name before each use.
 */
export function renderFile(
  file: StaticFile,
  { acceptEncoding, ifNoneMatch, policy }: FileRequest,
): FileAnswer {
  const coding = chooseCoding(file, acceptEncoding);
  const headers = {
    'content-type': file.contentType,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag: file.etag,
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  };
  if (ifNoneMatch === file.etag) return { status: 304, headers, body: Buffer.alloc(0) };
  const body = coding === undefined ? undefined : file.compressed.get(coding);
  if (coding === undefined || body === undefined) return { status: 200, headers, body: file.body };
  return { status: 200, headers: { ...headers, 'content-encoding': coding }, body };
}

function chooseCoding({ compressed }: StaticFile, acceptEncoding: string): 'br' | 'gzip' | undefined {
  const accepted = acceptEncoding.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.trim().toLowerCase().split(';');
    return parameters.some((parameter) => /^\s*q=0(\.0*)?\s*$/.test(parameter)) ? [] : [name.trim()];
  });
  return (['br', 'gzip'] as const).find((coding) => compressed.has(coding) && accepted.includes(coding));
}
