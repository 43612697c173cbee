import { once } from 'node:events';
import { createServer } from 'node:https';
import { testIdentity } from '../../apps/edge-gateway/src/http/tls-identity.fixture.ts';
import { isSignedBy } from '../../apps/edge-gateway/src/upstream/aws-signature.fixture.ts';
import { said, streamedConverse, streamedEvents } from './bedrock.fixture.ts';

/** A request that the service received, with the result of the verification of its signature. */
export interface VerifiedRequest {
  readonly line: string;
  readonly host: string | undefined;
  /** The region and the date in the scope of the signature. */
  readonly scope: string;
  readonly token: string | undefined;
  readonly authorization: string | undefined;
  readonly isSigned: boolean;
  readonly body: string;
}

export interface AwsService {
  readonly requests: VerifiedRequest[];
  close(): void;
}

const refused = {
  status: 403,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': 'InvalidSignatureException' },
  body: JSON.stringify({ message: 'The request signature does not match.' }),
};

/**
 * Starts a TLS server at the port to which test/e2e/aws-names.mjs directs Amazon Bedrock's addresses. Like AWS,
 * the server recomputes the signature of each request, and rejects requests with a wrong signature.
 */
export async function startAwsService(secretAccessKey: string): Promise<AwsService> {
  const requests: VerifiedRequest[] = [];
  const server = createServer(testIdentity, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = Buffer.concat(chunks);
      const { method, url = '', headers } = request;
      const isSigned = isSignedBy(secretAccessKey, request, body);
      requests.push({
        ...{ line: `${method} ${url}`, host: headers.host, isSigned, body: body.toString('utf8') },
        scope: /Credential=[^/]+\/([^,]+),/.exec(String(headers.authorization))?.[1] ?? '',
        token: headers['x-amz-security-token']?.toString(),
        authorization: headers.authorization,
      });
      const answer = isSigned ? answerTo(url) : refused;
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  server.listen(Number(process.env['TEST_AWS_PORT']), '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { requests, close };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

function answerTo(url: string): Answer {
  const json = { 'content-type': 'application/json' };
  if (url.endsWith('/converse')) return { status: 200, headers: json, body: JSON.stringify(said) };
  if (!url.endsWith('/converse-stream'))
    return { status: 200, headers: json, body: JSON.stringify({ asyncInvokeSummaries: [] }) };
  const { headers = {}, body } = streamedConverse(streamedEvents);
  return { status: 200, headers, body: body as Buffer };
}
