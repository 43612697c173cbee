import { ChevronLeft } from 'lucide-react';
import { Link, useParams } from 'react-router';
import { useRequest, type RequestDetail } from '../../api/requests.ts';
import { CodeBlock } from '../../components/copy.tsx';
import { Foreign, Time } from '../../components/values.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Panel, Stacked } from '../../components/panel.tsx';
import { QueryView } from '../../components/states.tsx';
import { StatusBadge } from '../../components/request-columns.tsx';
import { CandidatesPanel } from './candidates-panel.tsx';
import { CompressionPanel } from './compression-panel.tsx';
import { ContentPanel } from './content-panel.tsx';
import { renderCurl } from './copy-as-curl.ts';
import { FactsPanel } from './facts-panel.tsx';
import { ModelChoicePanel } from './model-choice-panel.tsx';
import { RequestFigures } from './request-figures.tsx';
import { Waterfall } from './waterfall.tsx';
import classes from './request-page.module.css';

export function RequestPage() {
  const { requestId } = useParams();
  const query = useRequest(requestId);
  return (
    <>
      <Link to="/requests" className={classes.back}>
        <ChevronLeft size={16} aria-hidden /> All requests
      </Link>
      <PageHeader
        title="Request"
        description={query.data === undefined ? null : <Summary detail={query.data} />}
      />
      <QueryView query={query} lines={16}>
        {(detail) => <Content detail={detail} />}
      </QueryView>
    </>
  );
}

function Summary({ detail }: { readonly detail: RequestDetail }) {
  const { status, provider, model, requested_model, created_at } = detail;
  const requested = requested_model ?? 'no model';
  const answered = model === null ? requested : `${provider ?? '?'}/${model}`;
  return (
    <span className={classes.summary}>
      <StatusBadge status={status} />
      <Foreign>{answered}</Foreign>
      <span>
        <Time value={created_at} />
      </span>
    </span>
  );
}

function Content({ detail }: { readonly detail: RequestDetail }) {
  return (
    <Stacked>
      {detail.error_code === null ? null : <FailurePanel detail={detail} />}
      <RequestFigures detail={detail} />
      <Panel
        title="Where the time went"
        description="From the arrival of the request to the last byte of its response."
      >
        <Waterfall ms={detail.ms} />
      </Panel>
      <CandidatesPanel detail={detail} />
      <CompressionPanel detail={detail} />
      {detail.model_choice === null ? null : <ModelChoicePanel choice={detail.model_choice} />}
      <ContentPanel key={detail.id} content={detail.content} />
      <FactsPanel detail={detail} />
      <Panel
        title="Repeat with curl"
        description="The same call with a placeholder message. Set the environment variable SVC_API_KEY to your key."
      >
        <CodeBlock label="Request as a curl command" code={renderCurl(detail, window.location.origin)} />
      </Panel>
    </Stacked>
  );
}

function FailurePanel({ detail }: { readonly detail: RequestDetail }) {
  const { error_code, error_message, http_status } = detail;
  return (
    <Panel title="What went wrong">
      <p className={classes.failure}>
        <code>
          <Foreign>{error_code}</Foreign>
        </code>{' '}
        {http_status === null ? null : `(HTTP ${http_status})`}
      </p>
      {error_message === null ? null : (
        <p className={classes.message}>
          <Foreign>{error_message}</Foreign>
        </p>
      )}
    </Panel>
  );
}
