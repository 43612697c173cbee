import { Alert, Badge, Select } from '@mantine/core';
import { Link, useSearchParams } from 'react-router';
import {
  useCalibration,
  useRoutingPreferences,
  type Calibration,
  type CalibrationBucket,
} from '../../api/routing.ts';
import { FiguresTable, Panel, Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { Time } from '../../components/values.tsx';
import { changeParam } from '../../lib/addresses.ts';
import { describeBucket, meaningOfK } from '../../lib/explain-plan.ts';
import { formatShare } from '../../lib/format.ts';
import {
  describeDecision,
  describeLearning,
  describeMode,
  describeVerdict,
  renderDecider,
  renderK,
  renderPlainK,
  renderRecall,
  stateNames,
} from './calibration-model.ts';
import { CalibrationChart } from './calibration-chart.tsx';
import { listCurve } from './calibration-curve.ts';
import classes from './routing.module.css';

/**
 * Shows the measurements of shadow conversations for each bucket. The page shows the recall at each K (number
 * of ranked tools) and the policy's K.
 */
export default function CalibrationTab() {
  return (
    <QueryView
      query={useCalibration()}
      lines={12}
      isEmpty={({ buckets }) => buckets.length === 0}
      empty={
        <EmptyState title="Nothing measured yet">
          Until your own conversations are measured, the gateway uses its shipped defaults. Recall is the
          share of conversations in which no needed tool is missing. It is measured on shadow conversations:
          sampled conversations that send all tools and only record the plan.{' '}
          <Link to="/account">Account</Link> sets the share of sampled conversations. To measure faster, set
          pruning to “shadow” for a while.
        </EmptyState>
      }
    >
      {(calibration) => <Measured calibration={calibration} />}
    </QueryView>
  );
}

function Measured({ calibration }: { readonly calibration: Calibration }) {
  const { buckets, recall_target } = calibration;
  const [params, setParams] = useSearchParams();
  const bucket = findBucket(buckets, params.get('bucket'));
  if (bucket === undefined) return null;
  return (
    <Stacked>
      <ModeNotice />
      <Verdicts calibration={calibration} />
      <Panel
        title="Forwarded recall at each K"
        description={<Terms calibration={calibration} />}
        actions={
          <Select
            aria-label="Bucket"
            data={buckets.map((each) => ({ value: each.bucket, label: describeBucket(each.bucket) }))}
            value={bucket.bucket}
            allowDeselect={false}
            onChange={(value) => setParams(changeParam(params, 'bucket', value))}
          />
        }
      >
        <p className={classes.total}>{describeDecision(bucket)}</p>
        <LearningNote bucket={bucket} />
        <CalibrationChart bucket={bucket} recallTarget={recall_target} />
        <CurveTable bucket={bucket} />
      </Panel>
      <Panel title="All buckets">
        <BucketTable buckets={buckets} />
      </Panel>
    </Stacked>
  );
}

/** One sentence for each bucket. */
function Verdicts({ calibration: { buckets, recall_target } }: { readonly calibration: Calibration }) {
  return (
    <Panel
      title="Verdicts"
      description="A bucket groups conversations by the intent of their first turn and the number of tools."
    >
      <ul className={classes.verdicts}>
        {buckets.map((each) => (
          <li key={each.bucket}>
            <strong>{describeBucket(each.bucket)}</strong>: {describeVerdict(each, recall_target)}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/**
 * Finds the bucket that the address of the page specifies. If the bucket does not exist, returns the bucket
 * for all intents in the same size band, or else the largest bucket.
 */
function findBucket(
  buckets: readonly CalibrationBucket[],
  wanted: string | null,
): CalibrationBucket | undefined {
  const pooled = wanted?.replace(/^[^:]*/, '*');
  const find = (name: string | null | undefined) => buckets.find(({ bucket }) => bucket === name);
  return find(wanted) ?? find(pooled) ?? buckets[0];
}

function Terms({ calibration }: { readonly calibration: Calibration }) {
  const { recall_target, version, updated_at } = calibration;
  return (
    <>
      Forwarded recall: share of conversations in which every needed tool is sent. Effective recall: with the
      tools that recovery returns. {meaningOfK} Target {formatShare(recall_target, 2)} for effective recall.
      Policy {version ?? 'not available yet'}, updated <Time value={updated_at} />, from the last 30 days.
    </>
  );
}

/** A notice that all tools are sent although the page shows a routing policy. */
function ModeNotice() {
  const { data } = useRoutingPreferences();
  const text = data === undefined ? null : describeMode(data.pruning);
  return text === null ? null : (
    <Alert variant="light" color="orange" title="The policy is not applied">
      {text}
    </Alert>
  );
}

const basisColors = { calibrated: 'green', prior: 'gray', off: 'orange' } as const;

function BucketTable({ buckets }: Pick<Calibration, 'buckets'>) {
  return (
    <div className={classes.tableFrame}>
      <FiguresTable>
        <thead>
          <tr>
            <th scope="col">Bucket</th>
            <th scope="col">Pruning</th>
            <th scope="col">Conversations</th>
            <th scope="col">K</th>
            <th scope="col">K without recovery</th>
            <th scope="col">K with learning</th>
            <th scope="col">K decided by</th>
            <th scope="col">Forwarded recall</th>
            <th scope="col">Effective recall</th>
            <th scope="col">Tools sent</th>
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket) => (
            <BucketRow key={bucket.bucket} bucket={bucket} />
          ))}
        </tbody>
      </FiguresTable>
    </div>
  );
}

function BucketRow({ bucket }: { readonly bucket: CalibrationBucket }) {
  return (
    <tr>
      <td>{describeBucket(bucket.bucket)}</td>
      <td>
        <Badge size="sm" tt="none" variant="light" miw="max-content" color={basisColors[bucket.basis]}>
          {stateNames[bucket.basis]}
        </Badge>
      </td>
      <td>{bucket.samples}</td>
      <td>{renderK(bucket)}</td>
      <td>{renderPlainK(bucket)}</td>
      <td>{bucket.learning?.k ?? 'not measured'}</td>
      <td>{renderDecider(bucket)}</td>
      <td>{renderRecall(bucket.forwarded_recall)}</td>
      <td>{renderRecall(bucket.effective_recall)}</td>
      <td>{bucket.kept_share === null ? 'unknown' : formatShare(bucket.kept_share)}</td>
    </tr>
  );
}

function LearningNote({ bucket }: { readonly bucket: CalibrationBucket }) {
  const text = describeLearning(bucket);
  return text === null ? null : <p>{text}</p>;
}

function CurveTable({ bucket }: { readonly bucket: CalibrationBucket }) {
  return (
    <details className={classes.data}>
      <summary>Forwarded recall at each K as a table</summary>
      <div className={classes.tableFrame}>
        <FiguresTable>
          <thead>
            <tr>
              <th scope="col">K</th>
              <th scope="col">Recall</th>
              <th scope="col">Lower bound</th>
              <th scope="col">Upper bound</th>
            </tr>
          </thead>
          <tbody>
            {listCurve(bucket.recall_at).map(({ k, value, low, high }) => (
              <tr key={k}>
                <td>{k}</td>
                <td>{formatShare(value)}</td>
                <td>{formatShare(low)}</td>
                <td>{formatShare(high)}</td>
              </tr>
            ))}
          </tbody>
        </FiguresTable>
      </div>
    </details>
  );
}
