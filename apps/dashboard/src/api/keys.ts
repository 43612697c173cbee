import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { Body, Item } from './types.ts';

export type ApiKey = Item<'/v1/account/keys'>;
export type CreateKeyBody = Body<'/v1/account/keys', 'post'>;
export type UpdateKeyBody = Body<'/v1/account/keys/{key_id}', 'patch'>;
export type ToolLists = Body<'/v1/account/keys/{key_id}/toollist', 'put'>;

const keysKey = ['keys'] as const;

export function useKeys() {
  return useQuery({
    queryKey: keysKey,
    queryFn: async () => (await unwrap(api.GET('/v1/account/keys'))).data,
  });
}

/** Reloads the lists that show API keys. */
function useRefreshKeys() {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: keysKey });
}

const inPath = (keyId: string) => ({ path: { key_id: keyId } });
/** With the idempotency header, a repeated request does not create a second API key. */
const once = () => ({ 'Idempotency-Key': crypto.randomUUID() });

export function useCreateKey() {
  return useMutation({
    mutationFn: (body: CreateKeyBody) =>
      unwrap(api.POST('/v1/account/keys', { body, params: { header: once() } })),
    onSuccess: useRefreshKeys(),
  });
}

export function useUpdateKey() {
  return useMutation({
    mutationFn: ({ keyId, body }: { keyId: string; body: UpdateKeyBody }) =>
      unwrap(api.PATCH('/v1/account/keys/{key_id}', { params: inPath(keyId), body })),
    onSuccess: useRefreshKeys(),
  });
}

export function useSetToolLists() {
  return useMutation({
    mutationFn: ({ keyId, body }: { keyId: string; body: ToolLists }) =>
      unwrap(api.PUT('/v1/account/keys/{key_id}/toollist', { params: inPath(keyId), body })),
    onSuccess: useRefreshKeys(),
  });
}

export function useRotateKey() {
  return useMutation({
    mutationFn: ({ keyId, overlapSeconds }: { keyId: string; overlapSeconds: number }) =>
      unwrap(
        api.POST('/v1/account/keys/{key_id}/rotate', {
          params: { ...inPath(keyId), header: once() },
          body: { overlap_seconds: overlapSeconds },
        }),
      ),
    onSuccess: useRefreshKeys(),
  });
}

export function useRevokeKey() {
  return useMutation({
    mutationFn: (keyId: string) => unwrap(api.DELETE('/v1/account/keys/{key_id}', { params: inPath(keyId) })),
    onSuccess: useRefreshKeys(),
  });
}
