import { DashboardFiles } from './dashboard-files.ts';
import { renderPolicy } from './render-file.ts';
import { renderDashboardSettings, type DashboardSettings, type OidcVariables } from './sign-in-settings.ts';

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
