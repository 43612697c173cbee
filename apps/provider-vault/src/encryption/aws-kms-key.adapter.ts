import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { GatewayError } from '@gateway/errors';
import { keyBytes } from './aes-gcm.ts';
import { digestBinding } from './associated-data.ts';
import type { KeyBinding, KeyEncryptionKey } from './key-encryption-key.port.ts';
import type { KmsKeyName } from './parse-keys.ts';

/** All attempts of one call to KMS must fit within the deadline of the vault's callers. */
const attemptsMax = 2;
const connectTimeoutMs = 1_000;
const answerTimeoutMs = 1_500;

/** KMS errors for a ciphertext that was changed, or that belongs to a different key or encryption context. */
const notAuthentic = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);

/**
 * A key that never leaves AWS KMS. KMS encrypts and decrypts data keys with this key, and logs each use in
 * CloudTrail. The adapter passes the binding as the encryption context, which KMS authenticates and logs in
 * plain text. The encryption context consists of the labels and a digest of the whole binding. See
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
    if (CiphertextBlob === undefined) throw unavailable('KMS response without a ciphertext');
    return Buffer.from(CiphertextBlob);
  }

  async unwrap(wrapped: Uint8Array, binding: KeyBinding): Promise<Buffer> {
    const EncryptionContext = renderContext(binding);
    const command = new DecryptCommand({ KeyId: this.#arn, CiphertextBlob: wrapped, EncryptionContext });
    const { Plaintext } = await this.#client.send(command).catch(rethrow);
    if (Plaintext?.length !== keyBytes) throw unavailable('KMS response without a key');
    const key = Buffer.from(Plaintext);
    Plaintext.fill(0);
    return key;
  }
}

/**
 * Creates a KMS client for one region. The SDK finds AWS credentials in the environment, in shared files, through a
 * web identity, or in the role of the container or machine. The parameter `endpoint` overrides the region's KMS
 * address (for example to use a VPC endpoint).
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

/**
 * If KMS is unavailable, throttles the call or rejects it, the encrypted record may still be intact. A later
 * call to KMS, or a call from another replica, may succeed.
 */
function rethrow(error: unknown): never {
  const name = error instanceof Error ? error.name : '';
  if (notAuthentic.has(name)) throw error;
  throw unavailable(`KMS: ${name}`, error);
}

function unavailable(detail: string, cause?: unknown): GatewayError {
  return new GatewayError('service_unavailable', { detail, cause, retryAfterMs: 1_000 });
}
