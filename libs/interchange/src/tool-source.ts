/** What a client says of a tool. */
export interface ToolDescription {
  /** Null for a built-in tool without a name. */
  readonly name: string | null;
  readonly description: string;
  /** The JSON Schema of the arguments as the client wrote it, or null. */
  readonly parameters: unknown;
  /** `x-svc-examples`: texts that should lead to this tool. */
  readonly examples: readonly string[];
}

/** A tool of a request, read when asked for. */
export interface ToolSource {
  /** Position in the client's list. */
  readonly index: number;
  /** SHA-256, in lower-case hex, of the bytes of the definition as the client wrote it, examples included. */
  hash(): string;
  /** The definition's own text. */
  text(): string;
  describe(): ToolDescription;
}
