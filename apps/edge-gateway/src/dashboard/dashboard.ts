import { z } from 'zod';
import { DashboardFiles } from './dashboard-files.ts';
import { renderPolicy } from './render-file.ts';

export const DASHBOARD = Symbol('DASHBOARD');

/** The files and settings of the dashboard. */
export interface Dashboard {
  readonly files: DashboardFiles;
  readonly settings: DashboardSettings;
  /** The Content-Security-Policy for the dashboard's pages. */
  readonly policy: string;
}

export function openDashboard(
  variables: OidcVariables & { readonly DASHBOARD_DIR?: string | undefined },
): Dashboard {
  return {
    files: DashboardFiles.open(variables.DASHBOARD_DIR),
    settings: renderDashboardSettings(variables),
    policy: renderPolicy(variables.OIDC_ISSUER),
  };
}

/** How users sign in. The dashboard reads these settings before a user signs in. */
export const dashboardSettings = z.object({
  object: z.literal('dashboard.settings'),
  sign_in: z.discriminatedUnion('kind', [
    /** Sign-in with e-mail and password through `/v1/auth`. */
    z.object({ kind: z.literal('embedded') }),
    z.object({
      kind: z.literal('oidc'),
      issuer: z.string(),
      /**
       * The dashboard's client id at the issuer. If null, the dashboard is not registered there, and users
       * cannot sign in.
       */
      client_id: z.string().nullable(),
      /** Audience of the tokens: the client itself, because its ID token serves as the session token. */
      audience: z.string(),
      scope: z.string(),
    }),
  ]),
});
export type DashboardSettings = z.infer<typeof dashboardSettings>;

interface OidcVariables {
  readonly OIDC_ISSUER?: string | undefined;
  readonly OIDC_AUDIENCE?: string | undefined;
  readonly OIDC_CLIENT_ID?: string | undefined;
  readonly OIDC_SCOPE: string;
}

function renderDashboardSettings(variables: OidcVariables): DashboardSettings {
  const { OIDC_ISSUER: issuer, OIDC_AUDIENCE: audience, OIDC_CLIENT_ID, OIDC_SCOPE: scope } = variables;
  if (issuer === undefined || audience === undefined)
    return { object: 'dashboard.settings', sign_in: { kind: 'embedded' } };
  const client_id = OIDC_CLIENT_ID ?? null;
  return { object: 'dashboard.settings', sign_in: { kind: 'oidc', issuer, client_id, audience, scope } };
}
