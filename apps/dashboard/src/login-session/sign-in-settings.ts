/** How people sign in at this gateway: `/dashboard/config.json`. */
export type SignInSettings =
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      /** Null: the operator has not registered the dashboard with the issuer. */
      readonly client_id: string | null;
      readonly audience: string;
      readonly scope: string;
    };

let known: Promise<SignInSettings> | undefined;

/** Asked once a visit. */
export function readSignInSettings(): Promise<SignInSettings> {
  known ??= fetchSettings().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function fetchSettings(): Promise<SignInSettings> {
  const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
  if (!response.ok) throw new Error('The gateway does not say how people sign in. Try again in a moment.');
  const { sign_in } = (await response.json()) as { sign_in: SignInSettings };
  return sign_in;
}
