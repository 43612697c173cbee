import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { RequestDetail } from '../../api/requests.ts';
import { Panel } from '../../components/panel.tsx';
import { Foreign } from '../../components/values.tsx';
import classes from './request-page.module.css';

interface FailurePanelProps {
  readonly detail: RequestDetail;
  readonly code: string;
}

/** Shows the error of a request, its cause and its remedy. */
export function FailurePanel({ detail: { error_message, http_status, provider }, code }: FailurePanelProps) {
  const remedy = useRemedy(code).data ?? null;
  return (
    <Panel title="What went wrong">
      <p className={classes.failure}>
        <code>
          <Foreign>{code}</Foreign>
        </code>{' '}
        {http_status === null ? null : `(HTTP ${http_status})`}
      </p>
      {error_message === null ? null : (
        <p className={classes.message}>
          <Foreign>{error_message}</Foreign>
        </p>
      )}
      {remedy === null ? null : (
        <dl className={classes.facts}>
          <dt>Cause</dt>
          <dd>{remedy.cause}</dd>
          <dt>What to do</dt>
          <dd>{remedy.action}</dd>
        </dl>
      )}
      <p className={classes.links}>
        <a href={docsPath(code)}>Cause and remedy</a>
        {code === 'provider_not_connected' ? <Link to="/providers">Connect a provider</Link> : null}
        {remedy === null && provider !== null ? <Link to="/providers">State of the provider</Link> : null}
      </p>
    </Panel>
  );
}

const page = '/docs/operations/failure-modes';
const docsPath = (code: string): string => `${page}#${encodeURIComponent(code)}`;

/** Reads the remedy from the documentation page of this release. The page has one section per error code. */
function useRemedy(code: string) {
  return useQuery({
    queryKey: ['failure-modes', code],
    queryFn: async () => {
      const response = await fetch(page);
      return response.ok ? readRemedy(await response.text(), code) : null;
    },
    staleTime: Infinity,
    retry: false,
  });
}

/**
 * Reads the section of an error code in the HTML of the page about failure modes. Returns null for a code without a
 * section, for example a code of a provider.
 */
function readRemedy(html: string, code: string) {
  const heading = new DOMParser().parseFromString(html, 'text/html').getElementById(code);
  const items = listItemsAfter(heading);
  const [cause, action] = [findItem(items, 'Caller'), findItem(items, 'Do')];
  return cause === undefined || action === undefined ? null : { cause, action };
}

/** The entries of the first list between a heading and the next heading. */
function listItemsAfter(heading: Element | null): readonly string[] {
  let next = heading?.nextElementSibling ?? null;
  while (next !== null && !/^H[1-6]$/.test(next.tagName)) {
    if (next.tagName === 'UL') return [...next.children].map(({ textContent }) => textContent);
    next = next.nextElementSibling;
  }
  return [];
}

function findItem(items: readonly string[], name: string): string | undefined {
  const found = items.find((item) => item.trimStart().startsWith(`${name}:`));
  return found
    ?.trim()
    .slice(name.length + 1)
    .replaceAll(/\s+/g, ' ')
    .trim();
}
