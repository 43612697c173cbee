import type { CalibrationBucket } from '../../api/routing.ts';
import { formatShare } from '../../lib/format.ts';
import { drawBand, drawSteps, listCurve, makeScale, type Frame, type Scale } from './calibration-curve.ts';
import classes from './routing.module.css';

const [width, height] = [720, 320];
const frame: Frame = { left: 52, right: width - 16, top: 12, bottom: height - 40 };
const shownShares = [0, 0.25, 0.5, 0.75, 1];

interface CalibrationChartProps {
  readonly bucket: CalibrationBucket;
  readonly recallTarget: number;
}

/**
 * A chart of forwarded recall at each K (number of ranked tools), with the bounds and the target. A mark shows
 * the policy's K and its effective recall, because the target applies to effective recall.
 */
export function CalibrationChart({ bucket, recallTarget }: CalibrationChartProps) {
  const points = listCurve(bucket.recall_at);
  const scale = makeScale(points, frame);
  const { k, effective_recall: effective } = bucket;
  const hasPolicy = k !== null && effective !== null;
  const chosen = hasPolicy
    ? ` The policy’s K is ${k}, with an effective recall of at least ${formatShare(effective.low)}.`
    : '';
  const targetY = scale.y(recallTarget);
  return (
    <figure className={classes.figure}>
      <svg
        className={classes.chart}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Forwarded recall at each K in ${bucket.bucket}. A table follows.${chosen}`}
      >
        <Axes scale={scale} />
        <path className={classes.band} d={drawBand(points, scale)} />
        <path className={classes.curve} d={drawSteps(points, scale, ({ value }) => value)} />
        <line className={classes.target} x1={frame.left} x2={frame.right} y1={targetY} y2={targetY} />
        {hasPolicy ? <PolicyPoint x={scale.x(k)} y={scale.y(effective.low)} /> : null}
      </svg>
      <Legend hasPolicy={hasPolicy} />
    </figure>
  );
}

function PolicyPoint({ x, y }: { readonly x: number; readonly y: number }) {
  return (
    <>
      <line className={classes.policyLine} x1={x} x2={x} y1={y} y2={frame.bottom} />
      <circle className={classes.policy} cx={x} cy={y} r={7} />
    </>
  );
}

function Axes({ scale }: { readonly scale: Scale }) {
  return (
    <>
      {shownShares.map((share) => (
        <g key={share}>
          <line
            className={classes.gridLine}
            x1={frame.left}
            x2={frame.right}
            y1={scale.y(share)}
            y2={scale.y(share)}
          />
          <text className={classes.axisText} x={frame.left - 8} y={scale.y(share) + 4} textAnchor="end">
            {formatShare(share)}
          </text>
        </g>
      ))}
      {scale.ks.map((k) => (
        <text key={k} className={classes.axisText} x={scale.x(k)} y={frame.bottom + 18} textAnchor="middle">
          {k}
        </text>
      ))}
      <text
        className={classes.axisText}
        x={(frame.left + frame.right) / 2}
        y={height - 4}
        textAnchor="middle"
      >
        K (number of tools sent by rank)
      </text>
    </>
  );
}

function Legend({ hasPolicy }: { readonly hasPolicy: boolean }) {
  return (
    <ul className={classes.legend}>
      <li>
        <span className={classes.swatch} data-kind="curve" aria-hidden />
        measured forwarded recall
      </li>
      <li>
        <span className={classes.swatch} data-kind="band" aria-hidden />
        exact one-sided 95% bounds
      </li>
      <li>
        <span className={classes.swatch} data-kind="target" aria-hidden />
        target for effective recall
      </li>
      {hasPolicy ? (
        <li>
          <span className={classes.swatch} data-kind="policy" aria-hidden />
          the policy’s K at its effective recall, lower bound
        </li>
      ) : null}
    </ul>
  );
}
