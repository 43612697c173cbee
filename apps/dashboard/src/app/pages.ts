import {
  ChartColumn,
  CreditCard,
  KeyRound,
  List,
  MessageSquareText,
  MessagesSquare,
  Plug,
  Rocket,
  Route,
  ScrollText,
  UserRound,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import type { ComponentType } from 'react';

/**
 * A page of the dashboard. The navigation lists the pages in the order of this array. The code of a page is
 * loaded when the page is first opened.
 */
export interface Page {
  /** Path of the page below `/dashboard`, without a leading slash. */
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly group: 'Start' | 'Monitor' | 'Set up';
  /** False for a page that opens only from another page. */
  readonly isInNavigation?: false;
  readonly load: () => Promise<ComponentType>;
}

export const pages: readonly Page[] = [
  {
    path: 'welcome',
    label: 'Welcome',
    icon: Rocket,
    group: 'Start',
    load: async () => (await import('../pages/welcome/welcome-page.tsx')).WelcomePage,
  },
  {
    path: 'playground',
    label: 'Playground',
    icon: MessagesSquare,
    group: 'Start',
    load: async () => (await import('../pages/playground/playground-page.tsx')).PlaygroundPage,
  },
  {
    path: 'overview',
    label: 'Overview',
    icon: ChartColumn,
    group: 'Monitor',
    load: async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage,
  },
  {
    path: 'requests',
    label: 'Requests',
    icon: List,
    group: 'Monitor',
    load: async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage,
  },
  {
    path: 'requests/:requestId',
    label: 'Request',
    icon: List,
    group: 'Monitor',
    isInNavigation: false,
    load: async () => (await import('../pages/requests/request-page.tsx')).RequestPage,
  },
  {
    path: 'sessions',
    label: 'Sessions',
    icon: MessageSquareText,
    group: 'Monitor',
    load: async () => (await import('../pages/sessions/sessions-page.tsx')).SessionsPage,
  },
  {
    path: 'sessions/one',
    label: 'Session',
    icon: MessageSquareText,
    group: 'Monitor',
    isInNavigation: false,
    load: async () => (await import('../pages/sessions/session-page.tsx')).SessionPage,
  },
  {
    path: 'tool-health',
    label: 'Tool health',
    icon: Wrench,
    group: 'Monitor',
    load: async () => (await import('../pages/tool-health/tool-health-page.tsx')).ToolHealthPage,
  },
  {
    path: 'tool-health/one',
    label: 'Tool',
    icon: Wrench,
    group: 'Monitor',
    isInNavigation: false,
    load: async () => (await import('../pages/tool-health/tool-page.tsx')).ToolPage,
  },
  {
    path: 'routing',
    label: 'Routing',
    icon: Route,
    group: 'Monitor',
    load: async () => (await import('../pages/routing/routing-page.tsx')).RoutingPage,
  },
  {
    path: 'keys',
    label: 'Keys',
    icon: KeyRound,
    group: 'Set up',
    load: async () => (await import('../pages/keys/keys-page.tsx')).KeysPage,
  },
  {
    path: 'providers',
    label: 'Providers',
    icon: Plug,
    group: 'Set up',
    load: async () => (await import('../pages/providers/providers-page.tsx')).ProvidersPage,
  },
  {
    path: 'billing',
    label: 'Billing',
    icon: CreditCard,
    group: 'Set up',
    load: async () => (await import('../pages/billing/billing-page.tsx')).BillingPage,
  },
  {
    path: 'audit',
    label: 'Audit log',
    icon: ScrollText,
    group: 'Set up',
    load: async () => (await import('../pages/audit/audit-page.tsx')).AuditPage,
  },
  {
    path: 'account',
    label: 'Account',
    icon: UserRound,
    group: 'Set up',
    load: async () => (await import('../pages/account/account-page.tsx')).AccountPage,
  },
];
