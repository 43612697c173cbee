import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { toApiError } from './api-error.ts';
import { api, unwrap } from './client.ts';
import type { Body } from './types.ts';

const accountKey = ['account'] as const;

/**
 * Fetches the account of the signed-in person. The gateway creates the account when a person first signs in.
 */
async function readAccount() {
  try {
    return await unwrap(api.GET('/v1/account/me'));
  } catch (error) {
    if (toApiError(error).code !== 'account_not_registered') throw error;
    await unwrap(api.POST('/v1/account/register', { body: {} }));
    return unwrap(api.GET('/v1/account/me'));
  }
}

export type Account = Awaited<ReturnType<typeof readAccount>>;

export function useAccount() {
  return useQuery({ queryKey: accountKey, queryFn: readAccount, staleTime: 60_000 });
}

export function useUpdateAccount() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<'/v1/account/me', 'patch'>) => unwrap(api.PATCH('/v1/account/me', { body })),
    // The page keeps the previously loaded person, because the response does not contain `person`.
    onSuccess: (account) => client.setQueryData<Account>(accountKey, (before) => ({ ...before, ...account })),
  });
}

export function useDeleteAccount() {
  return useMutation({ mutationFn: () => unwrap(api.DELETE('/v1/account/me')) });
}

export function useChangePassword() {
  return useMutation({
    mutationFn: (body: Body<'/v1/auth/change-password', 'post'>) =>
      unwrap(api.POST('/v1/auth/change-password', { body })),
  });
}

/**
 * Requests an email with a link for a new password. The gateway sends the same response for every email
 * address.
 */
export function useForgotPassword() {
  return useMutation({
    mutationFn: (body: Body<'/v1/auth/forgot-password', 'post'>) =>
      unwrap(api.POST('/v1/auth/forgot-password', { body })),
  });
}

export function useResetPassword() {
  return useMutation({
    mutationFn: (body: Body<'/v1/auth/reset-password', 'post'>) =>
      unwrap(api.POST('/v1/auth/reset-password', { body })),
  });
}

export function useVerifyEmail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body<'/v1/auth/verify-email', 'post'>) =>
      unwrap(api.POST('/v1/auth/verify-email', { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: accountKey }),
  });
}

export function useResendVerification() {
  return useMutation({ mutationFn: () => unwrap(api.POST('/v1/auth/resend-verification')) });
}
