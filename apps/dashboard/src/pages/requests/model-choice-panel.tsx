import type { RequestDetail } from '../../api/requests.ts';
import { FiguresTable, Panel, ScrollRegion } from '../../components/panel.tsx';
import { Foreign, Dollars } from '../../components/values.tsx';
import { formatNumberOf } from '../../lib/format.ts';
import classes from './request-page.module.css';

type ModelChoice = NonNullable<RequestDetail['model_choice']>;

const scoreUnits: Readonly<Record<ModelChoice['mode'], string>> = {
  auto: 'expected cost, USD',
  cheap: 'expected cost, USD',
  fast: 'expected time, ms',
  capable: 'quality × tool calls served',
};

/** Explains how the gateway chose the model for a svc/… request. */
export function ModelChoicePanel({ choice }: { readonly choice: ModelChoice }) {
  return (
    <Panel
      title="How the model was chosen"
      description={`svc/${choice.mode}: ${choice.reason.replaceAll('_', ' ')}; task complexity: ${choice.level} (${Number(choice.complexity.toFixed(2))}).`}
    >
      <ScrollRegion label="Candidate models">
        <FiguresTable>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Score ({scoreUnits[choice.mode]})</th>
              <th scope="col">Quality</th>
              <th scope="col">Expected cost</th>
            </tr>
          </thead>
          <tbody>
            {choice.candidates.map(({ id, score, quality, cost_usd }) => (
              <tr key={id}>
                <td>
                  <Foreign>{id}</Foreign>
                </td>
                <td>{score === null ? 'unknown' : Number(score.toPrecision(4))}</td>
                <td>{Number(quality.toPrecision(3))}</td>
                <td>
                  <Dollars value={cost_usd} />
                </td>
              </tr>
            ))}
          </tbody>
        </FiguresTable>
      </ScrollRegion>
      <Excluded choice={choice} />
    </Panel>
  );
}

function Excluded({ choice: { excluded, excluded_count } }: { readonly choice: ModelChoice }) {
  if (excluded_count === 0) return null;
  return (
    <details className={classes.omission}>
      <summary>{formatNumberOf(excluded_count, 'model')} excluded by a rule</summary>
      <ul>
        {excluded.map(({ id, rule }) => (
          <li key={id}>
            <Foreign>{id}</Foreign>: {rule.replaceAll('_', ' ')}
          </li>
        ))}
      </ul>
    </details>
  );
}
