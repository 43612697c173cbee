import { useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';

/** The keys to choose from, by name; with the one that is chosen, should it be revoked. */
export function useKeyOptions(chosen: string | undefined): { value: string; label: string }[] {
  const { data } = useQuery({
    queryKey: ['keys', 'options'],
    queryFn: () => unwrap(api.GET('/v1/account/keys')),
  });
  const options = (data?.data ?? []).map(({ id, name, last4 }) => ({
    value: id,
    label: `${name} (…${last4})`,
  }));
  if (chosen !== undefined && !options.some(({ value }) => value === chosen))
    options.push({ value: chosen, label: chosen });
  return options;
}
