import { useQuery } from '@tanstack/react-query';

/** The sign-in method of this gateway, from `/dashboard/config.json`. */
export type SignInSettings =
  | { readonly kind: 'embedded' }
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      /** Null if the operator has not registered the dashboard with the issuer. */
      readonly client_id: string | null;
      readonly audience: string;
      readonly scope: string;
    };

/** How people sign in. Undefined data while loading. */
export function useSignInSettings() {
  return useQuery({ queryKey: ['sign-in-settings'], queryFn: readSignInSettings, staleTime: Infinity });
}

let known: Promise<SignInSettings> | undefined;

/** Reads the settings once per visit. */
export function readSignInSettings(): Promise<SignInSettings> {
  known ??= fetchSettings().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function fetchSettings(): Promise<SignInSettings> {
  const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
  if (!response.ok)
    throw new Error('Cannot read the sign-in settings of the gateway. Try again in a moment.');
  const { sign_in } = (await response.json()) as { sign_in: SignInSettings };
  return sign_in;
}
