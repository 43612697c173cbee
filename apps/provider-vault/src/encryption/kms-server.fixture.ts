import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { decrypt, encrypt } from './aes-gcm.ts';

export interface KmsServer {
  readonly url: string;
  /** The requests that the server has received, each with its `x-amz-target`. */
  readonly requests: { readonly target: string; readonly body: KmsBody; readonly isSigned: boolean }[];
  /** Faults that the server returns for the next requests. Each request removes one fault from the list. */
  readonly faults: (KmsFault | 'hang')[];
  close(): Promise<void>;
}

export interface KmsFault {
  readonly status: number;
  readonly type: string;
}

export interface KmsBody {
  readonly KeyId: string;
  readonly Plaintext?: string;
  readonly CiphertextBlob?: string;
  readonly EncryptionContext?: Record<string, string>;
}

export interface AwsAccess {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * A fake AWS KMS on the loopback interface, which supports Encrypt and Decrypt. The fake server uses JSON 1.1
 * with the target names and error formats of KMS, and authenticates the encryption context. The fake server
 * checks the Signature Version 4 on each request. See
 * https://docs.aws.amazon.com/kms/latest/APIReference/API_Encrypt.html
 */
export async function startKmsServer(access: AwsAccess, keyArns: readonly string[]): Promise<KmsServer> {
  const keys = new Map(keyArns.map((arn) => [arn, randomBytes(32)]));
  const requests: KmsServer['requests'] = [];
  const faults: KmsServer['faults'] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const isSigned = hasValidSignature(request, bytes, access);
      const target = String(request.headers['x-amz-target']);
      const body = JSON.parse(bytes.toString('utf8')) as KmsBody;
      requests.push({ target, body, isSigned });
      const fault = faults.shift();
      if (fault === 'hang') return;
      if (fault) sendFault(response, fault);
      else if (!isSigned) sendFault(response, { status: 400, type: 'IncompleteSignatureException' });
      else answer(response, target, body, keys);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  response: ServerResponse,
  target: string,
  body: KmsBody,
  keys: ReadonlyMap<string, Buffer>,
): void {
  const key = keys.get(body.KeyId);
  if (!key) return sendFault(response, { status: 400, type: 'NotFoundException' });
  const context = Buffer.from(JSON.stringify(Object.entries(body.EncryptionContext ?? {}).sort()));
  const shared = { KeyId: body.KeyId, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  if (target === 'TrentService.Encrypt') {
    const ciphertext = encrypt(key, Buffer.from(body.Plaintext ?? '', 'base64'), context);
    return sendJson(response, 200, { ...shared, CiphertextBlob: ciphertext.toString('base64') });
  }
  if (target !== 'TrentService.Decrypt')
    return sendFault(response, { status: 400, type: 'UnknownOperationException' });
  try {
    const plaintext = decrypt(key, Buffer.from(body.CiphertextBlob ?? '', 'base64'), context);
    sendJson(response, 200, { ...shared, Plaintext: plaintext.toString('base64') });
  } catch {
    sendFault(response, { status: 400, type: 'InvalidCiphertextException' });
  }
}

function sendFault(response: ServerResponse, { status, type }: KmsFault): void {
  sendJson(response, status, { __type: type });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  const headers = {
    'content-type': 'application/x-amz-json-1.1',
    'x-amzn-requestid': randomBytes(8).toString('hex'),
  };
  response.writeHead(status, headers).end(JSON.stringify(body));
}

/** See https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function hasValidSignature(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  access: AwsAccess,
): boolean {
  const header =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8}\/([a-z0-9-]+)\/kms\/aws4_request), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!header) return false;
  const [, keyId, scope = '', , signedHeaders = '', signature] = header;
  const names = signedHeaders.split(';');
  if (keyId !== access.accessKeyId || !names.includes('host') || !names.includes('x-amz-target'))
    return false;
  const canonicalHeaders = names.map((name) => `${name}:${String(headers[name]).trim()}\n`).join('');
  const canonical = [method, url, '', canonicalHeaders, signedHeaders, sha256Hex(body)].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256Hex(Buffer.from(canonical))].join(
    '\n',
  );
  const signingKey = scope.split('/').reduce<Buffer>(hmac, Buffer.from(`AWS4${access.secretAccessKey}`));
  return hmac(signingKey, toSign).toString('hex') === signature;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256Hex(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
