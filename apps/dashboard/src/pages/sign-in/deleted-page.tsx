import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useLocation, useParams } from 'react-router';
import { api, unwrap } from '../../api/client.ts';
import { Brand } from '../../components/brand.tsx';
import { QueryView } from '../../components/states.tsx';
import { logOut } from '../../login-session/current-login-session.ts';
import classes from './sign-in.module.css';

const askAgainMs = 1_000;

function useDeletion(deletionId: string) {
  return useQuery({
    queryKey: ['deletion', deletionId],
    queryFn: () =>
      unwrap(
        api.GET('/v1/account/deletions/{deletion_id}', { params: { path: { deletion_id: deletionId } } }),
      ),
    // What could not be read at all is asked for again by who reads the page.
    refetchInterval: ({ state: { data, status } }) =>
      data?.status === 'done' || (data === undefined && status === 'error') ? false : askAgainMs,
  });
}

/** The receipt of a deletion. It needs nobody signed in: nobody can be any more. */
export function DeletedPage() {
  const { deletionId = '' } = useParams();
  const deletion = useDeletion(deletionId);
  const state = useLocation().state as { leaves?: boolean } | null;
  const leaves = state?.leaves === true;
  useEffect(() => {
    // Not before this page is there: the page that was left would lead to the sign-in.
    if (leaves) void logOut();
  }, [leaves]);
  return (
    <div className={classes.page}>
      <main className={classes.card}>
        <Brand />
        <h1 className={classes.title}>The account is deleted</h1>
        <QueryView query={deletion}>
          {({ steps }) => (
            <ul className={classes.steps}>
              {steps.map(({ service, status }) => (
                <li key={service}>
                  <span>{service}</span>
                  <Badge variant="light" color={status === 'done' ? 'green' : 'gray'}>
                    {status === 'done' ? 'forgotten' : 'being forgotten'}
                  </Badge>
                </li>
              ))}
            </ul>
          )}
        </QueryView>
        <p className={classes.other}>
          Receipt <code>{deletionId}</code>. This page can be kept as a bookmark.
        </p>
        <Link to="/sign-up">Begin anew</Link>
      </main>
    </div>
  );
}
