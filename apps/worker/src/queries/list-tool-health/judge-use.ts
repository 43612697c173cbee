import type { ToolHealth } from '@gateway/contracts';
import type { DescriptionIssue } from '../../assess-tools/score-description.ts';

/** Fewer requests tell chance. */
const forwardedMin = 50;
const calledMin = 5;
/** A tool that is called is expected among the first so many. */
const rankMax = 10;

/** What a tool's use says about its description. */
export function judgeUse(stats: ToolHealth['stats']): DescriptionIssue[] {
  const issues: DescriptionIssue[] = [];
  if (stats.called === 0 && stats.forwarded >= forwardedMin) {
    issues.push({
      code: 'never_called',
      points: 5,
      text: `It was forwarded ${stats.forwarded} times and never called.`,
      suggestion: 'Leave it out of the list where it is not needed, or say better when it is.',
    });
  }
  const rank = stats.mean_rank_when_called;
  if (rank !== null && stats.called >= calledMin && rank > rankMax) {
    issues.push({
      code: 'ranked_low_when_called',
      points: Math.min(15, Math.ceil(rank / 5)),
      text: `When it was called it stood at rank ${Math.round(rank)} on average.`,
      suggestion: 'Use the words of the people who ask for it, or give examples in x-svc-examples.',
    });
  }
  return issues;
}
