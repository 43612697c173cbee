/** Whether the model is to think before it answers, where the client says so itself. */
export type ThinkingSetting =
  /** `budgetTokens` is the most it may spend on it; absent, the provider's own bound holds. */
  | { readonly mode: 'enabled'; readonly budgetTokens?: number }
  /** As much as the model finds fit. */
  | { readonly mode: 'adaptive' }
  | { readonly mode: 'disabled' };
