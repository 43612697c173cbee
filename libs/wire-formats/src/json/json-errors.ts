/** The text is not JSON (RFC 8259), or not UTF-8. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** The byte at which reading stopped. */
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(`${reason} at byte ${offset}`);
    this.offset = offset;
  }
}

/** The text nests more containers than allowed. */
export class JsonDepthError extends Error {
  override readonly name = 'JsonDepthError';
  /** The byte of the container that is one too deep. */
  readonly offset: number;

  constructor(depthMax: number, offset: number) {
    super(`more than ${depthMax} levels deep at byte ${offset}`);
    this.offset = offset;
  }
}
