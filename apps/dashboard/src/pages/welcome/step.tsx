import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './welcome.module.css';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly description: ReactNode;
  readonly isDone?: boolean;
  readonly children: ReactNode;
}

export function Step({ number, title, description, isDone, children }: StepProps) {
  return (
    <li className={classes.step}>
      <span className={classes.number} data-done={isDone || undefined} aria-hidden>
        {isDone === true ? <Check size={16} /> : number}
      </span>
      <section className={classes.body}>
        <h2 className={classes.title}>
          {title}
          {isDone === true ? <span className="visually-hidden"> (done)</span> : null}
        </h2>
        <p className={classes.description}>{description}</p>
        {children}
      </section>
    </li>
  );
}
