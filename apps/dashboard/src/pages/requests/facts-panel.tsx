import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { RequestDetail } from '../../api/requests.ts';
import { CopyButton } from '../../components/copy.tsx';
import { KeyName } from '../../components/request-columns.tsx';
import { Foreign } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import { sessionAddress } from '../../lib/addresses.ts';
import { explainLane } from '../../lib/explain-plan.ts';
import classes from './request-page.module.css';

/** Properties of the request, and its ids in other systems. */
export function FactsPanel({ detail }: { readonly detail: RequestDetail }) {
  return (
    <Panel title="Details">
      <dl className={classes.facts}>
        <Id label="Request ID" value={detail.id} />
        <Id label="Trace ID" value={detail.trace_id} />
        <Id label="Client request ID" value={detail.client_request_id} />
        <Id label="Provider request ID" value={detail.provider_request_id} />
        <Fact label="Session">
          {detail.session_id === null ? 'none' : <SessionLink id={detail.session_id} />}
        </Fact>
        <Fact label="Key">
          <KeyName id={detail.key_id} />
        </Fact>
        <Id label="Key ID" value={detail.key_id} />
        <Fact label="Endpoint">
          <code>
            <Foreign>{detail.endpoint}</Foreign>
          </code>
          ({detail.format}
          {detail.stream ? ', streamed' : ''})
        </Fact>
        <Fact label="Requested model">
          <Foreign>{detail.requested_model ?? 'none'}</Foreign>
        </Fact>
        <Fact label="Sent as">{explainLane(detail.lane)}</Fact>
        <Losses losses={detail.losses} />
      </dl>
    </Panel>
  );
}

function Losses({ losses }: Pick<RequestDetail, 'losses'>) {
  if (losses.length === 0) return null;
  return (
    <Fact label="Not supported by the provider">
      {losses.map(({ field, reason }) => (
        <span key={field}>
          <code>
            <Foreign>{field}</Foreign>
          </code>
          : <Foreign>{reason}</Foreign>
        </span>
      ))}
    </Fact>
  );
}

function SessionLink({ id }: { readonly id: string }) {
  return (
    <Link to={sessionAddress(id)}>
      <Foreign>{id}</Foreign>
    </Link>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Id({ label, value }: { readonly label: string; readonly value: string | null }) {
  if (value === null) return null;
  return (
    <Fact label={label}>
      <code>
        <Foreign>{value}</Foreign>
      </code>
      <CopyButton size="compact-xs" variant="subtle" text={value} label="Copy" />
    </Fact>
  );
}
