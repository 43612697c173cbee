import { Badge, Select } from '@mantine/core';
import { useState } from 'react';
import { useCalibration, type Calibration, type CalibrationBucket } from '../../api/routing.ts';
import { FiguresTable, Panel, Stacked } from '../../components/panel.tsx';
import { QueryView, EmptyState } from '../../components/states.tsx';
import { Time } from '../../components/values.tsx';
import { formatNumberOf, formatShare } from '../../lib/format.ts';
import { CalibrationChart } from './calibration-chart.tsx';
import { listCurve } from './calibration-curve.ts';
import classes from './routing.module.css';

/** What shadow sessions showed: recall against K, by bucket, and the K that the policy takes. */
export default function CalibrationTab() {
  return (
    <QueryView
      query={useCalibration()}
      lines={12}
      isEmpty={({ buckets }) => buckets.length === 0}
      empty={
        <EmptyState title="Nothing measured yet">
          Recall is measured on shadow sessions: a share of sessions in which everything is forwarded, and the
          plan only written down. They come by themselves with traffic that has tools; the account’s shadow
          share says how many. To measure faster, set pruning to “shadow” for a while.
        </EmptyState>
      }
    >
      {(calibration) => <Measured calibration={calibration} />}
    </QueryView>
  );
}

function Measured({ calibration }: { readonly calibration: Calibration }) {
  const { buckets, policy, recall_target, version, updated_at } = calibration;
  const [chosen, setChosen] = useState(buckets[0]?.bucket ?? '');
  const bucket = buckets.find((each) => each.bucket === chosen) ?? buckets[0];
  if (bucket === undefined) return null;
  const k = policy.find((each) => each.bucket === bucket.bucket)?.k;
  return (
    <Stacked>
      <Panel
        title="Recall against K"
        description={
          <>
            Target {formatShare(recall_target, 2)}. Policy {version ?? 'not made yet'}, of{' '}
            <Time value={updated_at} />.
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
        <p className={classes.total}>{describeBasis(bucket, k)}</p>
        <CalibrationChart bucket={bucket} k={k} recallTarget={recall_target} />
        <CurveTable bucket={bucket} />
      </Panel>
      <Panel
        title="All buckets"
        description="Sessions are counted by the intent of their first turn and the size of their list."
      >
        <BucketTable calibration={calibration} />
      </Panel>
    </Stacked>
  );
}

/** `act:101-250` in words. */
function describeBucket(bucket: string): string {
  const [intent = '', band = ''] = bucket.split(':');
  return `${intent === '*' ? 'all intents' : intent}, ${band} tools`;
}

function describeBasis({ basis, samples, samples_needed }: CalibrationBucket, k: number | undefined): string {
  const seen = formatNumberOf(samples, 'shadow session');
  switch (basis) {
    case 'calibrated':
      return `Measured on ${seen}: K ${k ?? ''} is the smallest whose lower bound meets the target.`;
    case 'prior':
      return `${seen} so far. The shipped priors hold until there are ${samples_needed} more at the least.`;
    case 'off':
      return `Recall fell or was too low: everything is forwarded, until ${samples_needed} more sessions show a K that suffices.`;
  }
}

const basisColors = { calibrated: 'green', prior: 'gray', off: 'orange' } as const;

function BucketTable({ calibration: { buckets, policy } }: { readonly calibration: Calibration }) {
  return (
    <div className={classes.tableFrame}>
      <FiguresTable>
        <thead>
          <tr>
            <th scope="col">Bucket</th>
            <th scope="col">Basis</th>
            <th scope="col">Sessions</th>
            <th scope="col">Needed still</th>
            <th scope="col">K</th>
            <th scope="col">Kept</th>
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
              <td>{policy.find((each) => each.bucket === bucket.bucket)?.k ?? 'by priors'}</td>
              <td>{bucket.kept_share === null ? 'not known' : formatShare(bucket.kept_share)}</td>
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
      <summary>Recall against K as a table</summary>
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
