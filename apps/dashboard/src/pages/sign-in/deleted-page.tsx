import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { api, unwrap } from '../../api/client.ts';
import { Brand } from '../../components/brand.tsx';
import { QueryView } from '../../components/states.tsx';
import { logOut } from '../../login-session/current-login-session.ts';
import classes from './sign-in.module.css';

const pollMs = 1_000;

function useDeletion(deletionId: string) {
  return useQuery({
    queryKey: ['deletion', deletionId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/account/deletions/{deletion_id}', { params: { path: { deletion_id: deletionId } } }),
      ),
    // Polling stops if the first read fails, and the user can retry.
    refetchInterval: ({ state: { data, status } }) =>
      data?.status === 'done' || (data === undefined && status === 'error') ? false : pollMs,
  });
}

/**
 * The receipt for an account deletion. The receipt page needs no sign-in, because the account no longer
 * exists.
 */
export function DeletedPage() {
  const { deletionId = '' } = useParams();
  const deletion = useDeletion(deletionId);
  const state = useLocation().state as { leaves?: boolean } | null;
  const leaves = state?.leaves === true;
  useEffect(() => {
    // The page signs the person out only at this point, because an earlier sign-out would have opened the sign-in page.
    if (leaves) void logOut();
  }, [leaves]);
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <Brand />
        <h1 className={classes.title}>Account deleted</h1>
        <QueryView query={deletion}>
          {({ steps }) => (
            <ul className={classes.steps}>
              {steps.map(({ service, status }) => (
                <li key={service}>
                  <span>{service}</span>
                  <Badge variant="light" color={status === 'done' ? 'green' : 'gray'}>
                    {status === 'done' ? 'deleted' : 'deleting'}
                  </Badge>
                </li>
              ))}
            </ul>
          )}
        </QueryView>
        <p className={classes.other}>
          Receipt <code>{deletionId}</code>. You can bookmark this page.
        </p>
        <Link to="/sign-up">Create a new account</Link>
      </main>
    </div>
  );
}
