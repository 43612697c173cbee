import { CreditCard, KeyRound, Plug, Rocket, UserRound, type LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';

/** A page, in the order of the navigation. It is loaded when it is first opened. */
export interface Page {
  /** Below `/dashboard`, without a slash in front. */
  readonly path: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly group: 'Start' | 'Measured' | 'Set up';
  /** False for what is reached from another page. */
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
    path: 'account',
    label: 'Account',
    icon: UserRound,
    group: 'Set up',
    load: async () => (await import('../pages/account/account-page.tsx')).AccountPage,
  },
];
