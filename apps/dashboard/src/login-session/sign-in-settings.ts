import { useQuery } from '@tanstack/react-query';

/** The sign-in method of this gateway, from `/dashboard/config.json`. */
export type SignInSettings =
  | {
      readonly kind: 'embedded';
      /** Whether the gateway can send emails with a link for setting a new password. */
      readonly sends_mail: boolean;
    }
  | {
      readonly kind: 'oidc';
      readonly issuer: string;
      /**
       * The dashboard's client id at the OpenID Connect issuer. Null if the operator has not registered the
       * dashboard with the issuer.
       */
      readonly client_id: string | null;
      readonly audience: string;
      readonly scope: string;
    };

/** The sign-in method of the gateway. `data` is undefined while loading. */
export function useSignInSettings() {
  return useQuery({ queryKey: ['sign-in-settings'], queryFn: readSignInSettings, staleTime: Infinity });
}

/** The contact of the gateway's operator. Null if the operator has not configured a contact. */
export function useOperatorContact() {
  const queryFn = async () => (await readSettings()).operator_contact;
  return useQuery({ queryKey: ['operator-contact'], queryFn, staleTime: Infinity }).data ?? null;
}

export async function readSignInSettings(): Promise<SignInSettings> {
  return (await readSettings()).sign_in;
}

/** The response schema of `/dashboard/config.json`. */
interface Settings {
  readonly sign_in: SignInSettings;
  readonly operator_contact: string | null;
}

let known: Promise<Settings> | undefined;

/** Reads the sign-in settings only once per visit. */
function readSettings(): Promise<Settings> {
  known ??= fetchSettings().catch((error: unknown) => {
    known = undefined;
    throw error;
  });
  return known;
}

async function fetchSettings(): Promise<Settings> {
  const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
  if (!response.ok)
    throw new Error('Cannot read the sign-in settings of the gateway. Try again in a moment.');
  return (await response.json()) as Settings;
}
