/** Something of a request that the provider's format cannot carry. */
export interface Loss {
  /** The field, in the caller's spelling (`messages[2].content[0]`), or the setting's name. */
  readonly field: string;
  readonly reason: string;
}
