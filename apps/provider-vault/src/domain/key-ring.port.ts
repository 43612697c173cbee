/** The key-encryption keys: they close data keys and nothing else, and may live where their bytes can't be read. */
export interface KeyRing {
  /** Under which new data keys are closed. */
  readonly currentVersion: number;
  wrap(dataKey: Buffer, keyVersion: number, associatedData: Buffer): Promise<Buffer<ArrayBuffer>>;
  /** Rejects when the version is not known, or when anything is not what it was wrapped with. */
  unwrap(wrapped: Uint8Array, keyVersion: number, associatedData: Buffer): Promise<Buffer>;
}
