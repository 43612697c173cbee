import { useMutation } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { RequestFilter } from '../../api/requests.ts';
import { notifyDone } from '../../components/notify.ts';

/** Downloads the log as the filter has it. The session token goes in a header, so it cannot be a plain link. */
export function useExport(filter: RequestFilter) {
  return useMutation({
    mutationFn: async () => {
      const query = { ...filter, format: 'csv' as const };
      const answer = api.GET('/v1/account/requests/export', { params: { query }, parseAs: 'blob' });
      const blob = await unwrap(answer);
      const address = URL.createObjectURL(blob);
      const link = Object.assign(document.createElement('a'), { href: address, download: 'requests.csv' });
      link.click();
      URL.revokeObjectURL(address);
    },
    onSuccess: () => notifyDone('The requests were downloaded.'),
    onError: () => notifyDone('The export did not work: try again in a moment.'),
  });
}
