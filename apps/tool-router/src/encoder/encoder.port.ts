import type { EncoderText } from '../encoder-input/encoder-text.ts';

/** Turns texts into vectors of length one, so that a dot product is a cosine. */
export interface Encoder {
  /** Names the model and its words: vectors of one name are comparable, on every replica. */
  readonly id: string;
  readonly dimensions: number;
  /** The vectors, one after another, in the order of the texts. A text's vector is the same in any company. */
  encode(texts: readonly EncoderText[]): Promise<Float32Array>;
  release(): Promise<void>;
}
