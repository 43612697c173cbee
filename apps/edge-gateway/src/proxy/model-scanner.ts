import { GatewayError } from '@gateway/errors';

/** Where a body names its model: the value's bytes, quotes of JSON included, counted from the body's first byte. */
export interface ModelPlace {
  readonly start: number;
  readonly end: number;
  readonly model: string;
}

/** Reads a body as it comes, until it has said its model. */
export interface ModelScanner {
  readonly isJson: boolean;
  /**
   * Takes the next bytes. Gives the place once it is known, and null while it is not.
   * @throws GatewayError for a body that can not be read on, or whose model is none.
   */
  push(chunk: Buffer): ModelPlace | null;
  /** How the model goes into the body. */
  renderModel(model: string): Buffer;
}

/** Bytes of a model's name: the longest in the catalogue has 100, an ARN some 150. */
export const modelBytesMax = 512;

export function modelMissing(): GatewayError {
  return new GatewayError('missing_field', {
    param: 'model',
    message: 'The field "model" is missing: it says which provider the request is for.',
  });
}

export function modelTooLong(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'model',
    message: `The field "model" is longer than ${modelBytesMax} bytes.`,
  });
}
