import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { Answer } from './types.ts';

export type Billing = Answer<'/v1/account/billing', 'get'>;
export type Plan = Billing['plan'];

const billingKey = ['billing'] as const;

export function useBilling() {
  return useQuery({ queryKey: billingKey, queryFn: () => unwrap(api.GET('/v1/account/billing')) });
}

const here = (query = '') => `${window.location.origin}${import.meta.env.BASE_URL}billing${query}`;

/**
 * Opens Stripe's checkout page. After the checkout, Stripe redirects the browser to the dashboard's billing
 * page.
 */
export function useCheckout() {
  return useMutation({
    mutationFn: (planId: string) =>
      unwrap(
        api.POST('/v1/billing/create-checkout', {
          body: {
            plan_id: planId,
            success_url: here('?checkout={CHECKOUT_SESSION_ID}'),
            cancel_url: here(),
          },
        }),
      ),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

/** Opens Stripe's page to change or cancel a subscription. */
export function usePortal() {
  return useMutation({
    mutationFn: () => unwrap(api.POST('/v1/billing/customer-portal', { body: { return_url: here() } })),
    onSuccess: ({ url }) => window.location.assign(url),
  });
}

/** Updates the billing data from Stripe after a checkout. */
export function useSyncCheckout() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (checkoutId: string) =>
      unwrap(api.POST('/v1/billing/sync-checkout', { body: { session_id: checkoutId } })),
    onSuccess: () => void client.invalidateQueries({ queryKey: billingKey }),
  });
}
