import type { ToolHealth } from '../../api/tool-health.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Foreign } from '../../components/values.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './tool-page.module.css';

/**
 * Problems in the tool's description, with the number of points lost and instructions to fix each problem.
 */
export function IssuesPanel({ tool }: { readonly tool: ToolHealth }) {
  const { issues, suggestions, description_score } = tool;
  return (
    <Panel
      title="Description"
      description={
        description_score === null
          ? 'The description is scored at the next request that offers the tool.'
          : undefined
      }
      actions={
        suggestions.length === 0 ? undefined : (
          <CopyButton text={suggestions.join('\n')} label="Copy advice" />
        )
      }
    >
      {issues.length === 0 ? (
        <p className={classes.none}>No issues found.</p>
      ) : (
        <ul className={classes.issues}>
          {issues.map(({ code, points, text }) => (
            <li key={code} className={classes.issue}>
              <span className={classes.points}>−{points} points</span>
              <Foreign>{text}</Foreign>
            </li>
          ))}
        </ul>
      )}
      <Advice suggestions={suggestions} />
    </Panel>
  );
}

function Advice({ suggestions }: Pick<ToolHealth, 'suggestions'>) {
  if (suggestions.length === 0) return null;
  return (
    <ul className={classes.advice}>
      {suggestions.map((suggestion) => (
        <li key={suggestion}>
          <Foreign>{suggestion}</Foreign>
        </li>
      ))}
    </ul>
  );
}
