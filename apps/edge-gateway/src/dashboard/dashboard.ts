import { join } from 'node:path';
import { z } from 'zod';
import { StaticFiles } from '../static-files/static-files.ts';
import { renderPolicy } from '../static-files/render-file.ts';

export const DASHBOARD = Symbol('DASHBOARD');

/** The directory with the built dashboard, located next to this program. */
const builtDirectory = join(import.meta.dirname, '../dashboard');

/** The files and settings of the dashboard. */
export interface Dashboard {
  readonly files: StaticFiles;
  /**
   * The sign-in method of the dashboard. For the embedded identity service, `sends_mail` is false until the
   * account service has reported that email works.
   */
  readonly settings: DashboardSettings;
  /** The Content-Security-Policy for the dashboard's pages. */
  readonly policy: string;
}

export function openDashboard(
  variables: SettingsVariables & { readonly DASHBOARD_DIR?: string | undefined },
): Dashboard {
  return {
    files: StaticFiles.open(variables.DASHBOARD_DIR ?? builtDirectory),
    settings: renderDashboardSettings(variables),
    policy: renderPolicy(variables.OIDC_ISSUER),
  };
}

/** The settings that the dashboard reads before a user signs in. */
export const dashboardSettings = z.object({
  object: z.literal('dashboard.settings'),
  operator_contact: z
    .string()
    .nullable()
    .meta({
      description:
        'How people reach the operator of the gateway. Null if the operator has not configured it.',
      examples: ['support@example.com'],
    }),
  sign_in: z.discriminatedUnion('kind', [
    /** Users sign in with email and password through `/v1/auth`. */
    z.object({
      kind: z.literal('embedded'),
      sends_mail: z.boolean().meta({
        description:
          'Whether the gateway mails links for new passwords and for the verification of addresses. Without mail, the operator resets a forgotten password.',
        examples: [true],
      }),
    }),
    z.object({
      kind: z.literal('oidc'),
      issuer: z.string(),
      /** The dashboard's client id at the OpenID Connect issuer. If the client id is null, users cannot sign in. */
      client_id: z.string().nullable(),
      /**
       * The audience of the session tokens is the client id, because the dashboard uses the client's ID token as its
       * session token.
       */
      audience: z.string(),
      scope: z.string(),
    }),
  ]),
});
export type DashboardSettings = z.infer<typeof dashboardSettings>;

interface SettingsVariables {
  readonly OPERATOR_CONTACT?: string | undefined;
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_AUDIENCE?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
  readonly OIDC_SCOPE: string;
}

function renderDashboardSettings(variables: SettingsVariables): DashboardSettings {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_CLIENT_ID, OIDC_SCOPE: scope } = variables;
  const general = {
    object: 'dashboard.settings',
    operator_contact: variables.OPERATOR_CONTACT ?? null,
  } as const;
  if (issuer === undefined || audience === undefined)
    return { ...general, sign_in: { kind: 'embedded', sends_mail: false } };
  const client_id = OIDC_CLIENT_ID ?? null;
  return { ...general, sign_in: { kind: 'oidc', issuer, client_id, audience, scope } };
}
