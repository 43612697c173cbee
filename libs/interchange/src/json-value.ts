/** A JSON object as parsed: what its members are is for its reader to find out. */
export type JsonObject = Readonly<Record<string, unknown>>;
