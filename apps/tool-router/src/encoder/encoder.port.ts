/** Turns texts into vectors of length one, so that a dot product is a cosine. */
export interface Encoder {
  readonly dimensions: number;
  /** One vector a text, in order. */
  encode(texts: readonly string[]): Promise<Float32Array[]>;
}
