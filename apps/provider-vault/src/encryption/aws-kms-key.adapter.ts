import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { GatewayError } from '@gateway/errors';
import { keyBytes } from './aes-gcm.ts';
import { digestBinding } from './associated-data.ts';
import type { KeyBinding, KeyEncryptionKey } from './key-encryption-key.port.ts';
import type { KmsKeyName } from './parse-keys.ts';

/** Both attempts together end within the deadline of who asks the vault. */
const attemptsMax = 2;
const connectTimeoutMs = 1_000;
const answerTimeoutMs = 1_500;

/** What KMS says of a ciphertext that is not of this key or of this context, or that was changed. */
const notAuthentic = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/**
 * A key that AWS KMS keeps and never gives out: KMS itself closes and opens data keys with it, and writes each use into
 * CloudTrail. The binding is the encryption context, which KMS authenticates and which stands readable in its log: the
 * labels, and the digest of the whole.
 * https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html
 */
export class AwsKmsKey implements KeyEncryptionKey {
  readonly fingerprint: string;
  readonly #client: KMSClient;
  readonly #arn: string;

  constructor(client: KMSClient, { arn }: KmsKeyName) {
    this.#client = client;
    this.#arn = arn;
    this.fingerprint = `kms:${arn}`;
  }

  async wrap(key: Buffer, binding: KeyBinding): Promise<Buffer<ArrayBuffer>> {
    const EncryptionContext = renderContext(binding);
    const command = new EncryptCommand({ KeyId: this.#arn, Plaintext: key, EncryptionContext });
    const { CiphertextBlob } = await this.#client.send(command).catch(rethrow);
    if (CiphertextBlob === undefined) throw unavailable('KMS answered without a ciphertext');
    return Buffer.from(CiphertextBlob);
  }

  async unwrap(wrapped: Uint8Array, binding: KeyBinding): Promise<Buffer> {
    const EncryptionContext = renderContext(binding);
    const command = new DecryptCommand({ KeyId: this.#arn, CiphertextBlob: wrapped, EncryptionContext });
    const { Plaintext } = await this.#client.send(command).catch(rethrow);
    if (Plaintext?.length !== keyBytes) throw unavailable('KMS answered without a key');
    const key = Buffer.from(Plaintext);
    Plaintext.fill(0);
    return key;
  }
}

/**
 * A client for one region. Who it is to KMS, the SDK finds out by itself: environment, shared files, web identity, the
 * container's or the machine's role. `endpoint` replaces the region's own address (a VPC endpoint).
 */
export function createKmsClient(region: string, endpoint: string | undefined): KMSClient {
  return new KMSClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: attemptsMax,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: answerTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
}

function renderContext(binding: KeyBinding): Record<string, string> {
  return { ...binding.labels, binding: digestBinding(binding) };
}

/** KMS away, throttling, or refusing us is not the record's fault: another time, or another replica, may do. */
function rethrow(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  if (notAuthentic.has(name)) throw error;
  throw unavailable(`KMS: ${name}`, error);
}

function unavailable(detail: string, cause?: unknown): GatewayError {
  return new GatewayError('service_unavailable', { detail, cause, retryAfterMs: 1_000 });
}
