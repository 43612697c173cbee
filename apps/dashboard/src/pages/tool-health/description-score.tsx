import { Unknown } from '../../components/values.tsx';
import classes from './tool-health.module.css';

/** Of 100, with a bar; its colour only repeats what the number says. */
export function DescriptionScore({ score }: { readonly score: number | null }) {
  if (score === null) return <Unknown />;
  const level = score >= 75 ? 'good' : score >= 50 ? 'middling' : 'poor';
  return (
    <span className={classes.score}>
      <span>{score}</span>
      <span className={classes.track} aria-hidden>
        <span className={classes.bar} data-level={level} style={{ width: `${score}%` }} />
      </span>
    </span>
  );
}
