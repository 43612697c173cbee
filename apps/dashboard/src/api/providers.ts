import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { Body, Item } from './types.ts';

export type Provider = Item<'/v1/account/providers'>;
export type ConnectBody = Body<'/v1/account/providers', 'put'>;

const providersKey = ['providers'] as const;

export function useProviders() {
  return useQuery({
    queryKey: providersKey,
    queryFn: async () => (await unwrap(api.GET('/v1/account/providers'))).data,
  });
}

/** Reloads the lists of providers and models, which change together when a provider is connected or removed. */
function useRefresh() {
  const client = useQueryClient();
  return () => {
    void client.invalidateQueries({ queryKey: providersKey });
    void client.invalidateQueries({ queryKey: ['routing'] });
  };
}

export function useConnectProvider() {
  return useMutation({
    mutationFn: (body: ConnectBody) => unwrap(api.PUT('/v1/account/providers', { body })),
    onSuccess: useRefresh(),
  });
}

export function useDisconnectProvider() {
  return useMutation({
    mutationFn: (provider: string) =>
      unwrap(api.DELETE('/v1/account/providers/{provider}', { params: { path: { provider } } })),
    onSuccess: useRefresh(),
  });
}
