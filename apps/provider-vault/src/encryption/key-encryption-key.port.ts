/**
 * The binding for a wrapped (encrypted) key. The wrapped key can be unwrapped only with an identical binding.
 */
export interface KeyBinding {
  /** The complete binding, encoded as bytes. */
  readonly associatedData: Buffer;
  /** The part of the binding that contains no secrets, and may appear in the key service's audit log. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * A key-encryption key, which wraps only 32-byte keys. The key may be stored in a key service that never reveals it.
 */
export interface KeyEncryptionKey {
  /** Identifies the key in every replica, and reveals nothing else about the key. */
  readonly fingerprint: string;
  /**
   * Wraps (encrypts) a key. Rejects with `service_unavailable` if the key-encryption key cannot be used at
   * the moment.
   */
  wrap(key: Buffer, binding: KeyBinding): Promise<Buffer<ArrayBuffer>>;
  /**
   * Unwraps (decrypts) a key. Rejects if the key-encryption key or the binding does not match. Rejects with
   * `service_unavailable` if the key-encryption key cannot be used at the moment.
   */
  unwrap(wrapped: Uint8Array, binding: KeyBinding): Promise<Buffer>;
}
