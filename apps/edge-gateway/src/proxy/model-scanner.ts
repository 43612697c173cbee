import { GatewayError } from '@gateway/errors';

/** Position of the model in a body: the value's bytes, including JSON quotes, as offsets from the start. */
export interface ModelPlace {
  readonly start: number;
  readonly end: number;
  readonly model: string;
}

/** Reads a body in chunks until its model is found. */
export interface ModelScanner {
  readonly isJson: boolean;
  /**
   * Processes the next bytes. Returns the position of the model once it is known, else null.
   * @throws GatewayError for a malformed body or an invalid model.
   */
  push(chunk: Buffer): ModelPlace | null;
  /** Renders a model name for the body. */
  renderModel(model: string): Buffer;
}

/** Limit of a model's name. The longest in the catalog has 100 bytes, an ARN about 150. */
export const modelBytesMax = 512;

export function modelMissing(): GatewayError {
  return new GatewayError('missing_field', {
    param: 'model',
    message: 'The field "model" is missing. It selects the provider of the request.',
  });
}

export function modelTooLong(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'model',
    message: `The field "model" is longer than ${modelBytesMax} bytes.`,
  });
}
