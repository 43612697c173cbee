import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

export interface SigningRequest {
  readonly method: 'GET' | 'POST';
  /** Its path as it will be sent: percent-encoded. */
  readonly url: string;
  readonly contentType?: string;
  readonly body: Uint8Array;
  readonly accessKey: AccessKey;
  readonly region: string;
  /** The name that the service signs by: `bedrock` for the Bedrock runtime too. */
  readonly service: string;
  readonly signedAt: Date;
}

/**
 * The headers that prove who calls: AWS Signature Version 4, by AWS's own library. Host, content type, date and session
 * token are signed, and the bytes of the body; other headers may be added or changed on the way.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
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

/** Node's own digest, in the shape that the library asks for. */
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
