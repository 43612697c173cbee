import { z } from 'zod';
import { DashboardFiles } from './dashboard-files.ts';
import { renderPolicy } from './render-file.ts';

export const DASHBOARD = Symbol('DASHBOARD');

/** What the routes of the dashboard serve. */
export interface Dashboard {
  readonly files: DashboardFiles;
  readonly settings: DashboardSettings;
  /** The Content-Security-Policy of its pages. */
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

/** How people sign in: what the dashboard has to know before anybody is. */
export const dashboardSettings = z.object({
  object: z.literal('dashboard.settings'),
  sign_in: z.discriminatedUnion('kind', [
    /** E-mail and password: `/v1/auth`. */
    z.object({ kind: z.literal('embedded') }),
    z.object({
      kind: z.literal('oidc'),
      issuer: z.string(),
      /** As which the dashboard is registered with the issuer. Null: it is not, and nobody can sign in to it. */
      client_id: z.string().nullable(),
      /** For whom its tokens must be. The client itself: the ID token is the session token. */
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
