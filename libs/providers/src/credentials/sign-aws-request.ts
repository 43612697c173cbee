import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The session token of temporary AWS credentials. Permanent credentials have no session token. */
  readonly sessionToken?: string;
}

export interface SigningRequest {
  readonly method: 'GET' | 'POST';
  /** The URL exactly as it will be sent, with a percent-encoded path. */
  readonly url: string;
  readonly contentType?: string;
  readonly body: Uint8Array;
  readonly accessKey: AccessKey;
  readonly region: string;
  /** The service name used in the signature. The Bedrock runtime also uses the service name `bedrock`. */
  readonly service: string;
  readonly signedAt: Date;
}

/**
 * Renders the authentication headers of AWS Signature Version 4, with AWS's own library. The signature
 * covers the host, content type, date, session token and body. Other headers can be added or changed
 * after signing. https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 */
export async function signRequest(request: SigningRequest): Promise<Record<string, string>> {
  const { url, method, contentType, body, accessKey, region, service, signedAt } = request;
  const { protocol, hostname, port, host, pathname, searchParams } = new URL(url);
  const signer = new SignatureV4({
    service,
    region,
    credentials: accessKey,
    sha256: Sha256,
    applyChecksum: false,
  });
  const { headers } = await signer.sign(
    {
      method,
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { host, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
      body,
    },
    { signingDate: signedAt },
  );
  const proofs = ['authorization', 'x-amz-date', 'x-amz-security-token'];
  return Object.fromEntries(
    proofs.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

interface Digest {
  update(data: Buffer): unknown;
  digest(): Buffer;
}

/** Provides Node's SHA-256 digest through the interface that the AWS library expects. */
class Sha256 {
  readonly #secret: string | ArrayBuffer | ArrayBufferView | undefined;
  #digest: Digest;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = secret;
    this.#digest = open(secret);
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#digest.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#digest.digest());
  }

  reset(): void {
    this.#digest = open(this.#secret);
  }
}

function open(secret: string | ArrayBuffer | ArrayBufferView | undefined): Digest {
  return secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
}
