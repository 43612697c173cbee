import { formatMs } from '../../lib/format.ts';
import { layOutStages, type RequestTimings, type Stage } from './lay-out-stages.ts';
import classes from './waterfall.module.css';

/** The stages of a request, one below the other, on a shared time scale. */
export function Waterfall({ ms }: { readonly ms: RequestTimings }) {
  const stages = layOutStages(ms);
  const totalMs = Math.max(ms.total, Number.MIN_VALUE);
  return (
    <div>
      <ol className={classes.stages} aria-label="Stages of the request">
        {stages.map((stage) => (
          <StageRow key={stage.name} stage={stage} totalMs={totalMs} />
        ))}
      </ol>
      <div className={classes.axis} aria-hidden>
        <span>0 ms</span>
        <span>{formatMs(ms.total / 2)}</span>
        <span>{formatMs(ms.total)}</span>
      </div>
    </div>
  );
}

function StageRow({ stage, totalMs }: { readonly stage: Stage; readonly totalMs: number }) {
  const { name, label, startMs, endMs } = stage;
  const left = `${Math.min(99, (startMs / totalMs) * 100)}%`;
  const width = `${Math.min(100, ((endMs - startMs) / totalMs) * 100)}%`;
  return (
    <li className={classes.stage}>
      <span>{label}</span>
      <span className={classes.track}>
        <span className={classes.bar} data-stage={name} style={{ left, width }} />
      </span>
      <span className={classes.time} title={`from ${startMs} ms to ${endMs} ms`}>
        {formatMs(endMs - startMs)}
      </span>
    </li>
  );
}
