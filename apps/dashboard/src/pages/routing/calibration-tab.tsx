import { Badge, Select } from '@mantine/core';
import { useState } from 'react';
import { useCalibration, type Calibration, type CalibrationBucket } from '../../api/routing.ts';
import { FiguresTable, Panel, Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { Time } from '../../components/values.tsx';
import { formatShare } from '../../lib/format.ts';
import { describeBucket, describeDecision, renderK } from './calibration-model.ts';
import { CalibrationChart } from './calibration-chart.tsx';
import { listCurve } from './calibration-curve.ts';
import classes from './routing.module.css';

/** The measurements of shadow conversations: recall at each K by bucket, and the policy's K. */
export default function CalibrationTab() {
  return (
    <QueryView
      query={useCalibration()}
      lines={12}
      isEmpty={({ buckets }) => buckets.length === 0}
      empty={
        <EmptyState title="Nothing measured yet">
          Recall is the share of needed tools that are forwarded. It is measured on shadow conversations:
          sampled conversations that forward all tools and only record the plan. The share of sampled
          conversations is set in Account. To measure faster, set pruning to “shadow” for a while.
        </EmptyState>
      }
    >
      {(calibration) => <Measured calibration={calibration} />}
    </QueryView>
  );
}

function Measured({ calibration }: { readonly calibration: Calibration }) {
  const { buckets, recall_target, version, updated_at } = calibration;
  const [chosen, setChosen] = useState(buckets[0]?.bucket ?? '');
  const bucket = buckets.find((each) => each.bucket === chosen) ?? buckets[0];
  if (bucket === undefined) return null;
  const k = bucket.k ?? undefined;
  return (
    <Stacked>
      <Panel
        title="Recall at each K"
        description={
          <>
            Recall: share of conversations whose needed tools are all forwarded. K: number of tools forwarded
            by rank. Target {formatShare(recall_target, 2)} with recovery. Policy{' '}
            {version ?? 'not available yet'}, updated <Time value={updated_at} />.
          </>
        }
        actions={
          <Select
            aria-label="Bucket"
            data={buckets.map((each) => ({ value: each.bucket, label: describeBucket(each.bucket) }))}
            value={bucket.bucket}
            allowDeselect={false}
            onChange={(value) => setChosen(value ?? '')}
          />
        }
      >
        <p className={classes.total}>{describeDecision(bucket)}</p>
        <CalibrationChart bucket={bucket} k={k} recallTarget={recall_target} />
        <CurveTable bucket={bucket} />
      </Panel>
      <Panel
        title="All buckets"
        description="A bucket groups conversations by the intent of their first turn and the number of tools."
      >
        <BucketTable buckets={buckets} />
      </Panel>
    </Stacked>
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
            <th scope="col">Basis</th>
            <th scope="col">Conversations</th>
            <th scope="col">Still needed</th>
            <th scope="col">K</th>
            <th scope="col">Tools kept</th>
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket) => (
            <tr key={bucket.bucket}>
              <td>{describeBucket(bucket.bucket)}</td>
              <td>
                <Badge size="sm" tt="none" variant="light" color={basisColors[bucket.basis]}>
                  {bucket.basis}
                </Badge>
              </td>
              <td>{bucket.samples}</td>
              <td>{bucket.samples_needed}</td>
              <td>{renderK(bucket)}</td>
              <td>{bucket.kept_share === null ? 'unknown' : formatShare(bucket.kept_share)}</td>
            </tr>
          ))}
        </tbody>
      </FiguresTable>
    </div>
  );
}

function CurveTable({ bucket }: { readonly bucket: CalibrationBucket }) {
  return (
    <details className={classes.data}>
      <summary>Recall at each K as a table</summary>
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
