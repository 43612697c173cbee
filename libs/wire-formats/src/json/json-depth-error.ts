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
