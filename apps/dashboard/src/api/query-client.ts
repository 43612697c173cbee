import { QueryClient } from '@tanstack/react-query';
import { toApiError } from './api-error.ts';

const triesMax = 2;

/** Errors of the caller are final; what may pass is asked again. */
function shouldRetry(failures: number, error: unknown): boolean {
  const { status } = toApiError(error);
  return failures < triesMax && (status === 0 || status === 429 || status >= 500);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: shouldRetry, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});
