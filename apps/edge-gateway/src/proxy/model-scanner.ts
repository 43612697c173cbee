import { GatewayError } from '@gateway/errors';

/**
 * Position of the model name in a body. The start and end offsets cover the bytes of the name, including the
 * JSON quotes.
 */
export interface ModelPlace {
  readonly start: number;
  readonly end: number;
  readonly model: string;
}

/** Reads a request body chunk by chunk until its model is found. */
export interface ModelScanner {
  readonly isJson: boolean;
  /**
   * Processes the next bytes. Returns the position of the model name, or null while it is unknown.
   * @throws GatewayError for a malformed body or an invalid model.
   */
  push(chunk: Buffer): ModelPlace | null;
  /**
   * Checks the bytes after the chunk that contained the model.
   * @throws GatewayError `invalid_field` if the body contains a second model that the gateway cannot remove
   */
  pushRest(chunk: Buffer): void;
  /** Renders a model name in the encoding of the body. */
  renderModel(model: string): Buffer;
}

/**
 * Maximum length of a model name in bytes. The longest name in the catalogue has 100 bytes, and an ARN has
 * about 150 bytes.
 */
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
