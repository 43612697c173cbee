/** The text is not JSON (RFC 8259), or not UTF-8. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Byte offset at which parsing stopped. */
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} at byte ${offset}`);
    this.offset = offset;
  }
}

/** The JSON text nests containers deeper than allowed. */
export class JsonDepthError extends Error {
  override readonly name = 'JsonDepthError';
  /** Byte offset of the first container that is too deep. */
  readonly offset: number;

  constructor(depthMax: number, offset: number) {
    super(`more than ${depthMax} nested levels at byte ${offset}`);
    this.offset = offset;
  }
}
