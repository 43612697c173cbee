import type { ToolHealth } from '../../api/tool-health.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Foreign } from '../../components/foreign.tsx';
import { Panel } from '../../components/panel.tsx';
import classes from './tool.module.css';

/** Where the description lost its points, and what to do about it. */
export function IssuesPanel({ tool }: { readonly tool: ToolHealth }) {
  const { issues, suggestions, description_score } = tool;
  return (
    <Panel
      title="Description"
      description={
        description_score === null ? 'It is read with the next request that offers the tool.' : undefined
      }
      actions={
        suggestions.length === 0 ? undefined : (
          <CopyButton text={suggestions.join('\n')} label="Copy the advice" />
        )
      }
    >
      {issues.length === 0 ? (
        <p className={classes.none}>No issues were found.</p>
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
      {suggestions.length === 0 ? null : (
        <ul className={classes.advice}>
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <Foreign>{suggestion}</Foreign>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
