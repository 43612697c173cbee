import type { IntentClass } from '@gateway/interchange';

const charactersMax = 4000;
const code =
  /```|\b(?:stack ?trace|exception|refactor|compile|unit tests?|regex|function|codebase|bug)\b|[{;]\s*\n|=>|\bdef \w+\(/i;
const goOn =
  /^\W*(?:yes|yep|ok|okay|sure|go on|continue|proceed|do it|please do|thanks|thank you|next|correct|right)\b/i;
const severalSteps =
  /\b(?:then|after that|afterwards|next|finally|once (?:that|you|it)|followed by|and also)\b|(?:^|\n)[^\S\n]*(?:\d+[.)]|[-*])\s/i;
const act =
  /\b(?:create|add|delete|remove|update|set|send|post|book|cancel|schedule|close|open|merge|move|rename|assign|upload|write|buy|order|pay|start|stop|run|invite|enable|disable|reply|comment|deploy|install|register|reserve|turn|play|change|edit|approve)\b/i;
const lookup =
  /\?|\b(?:what|which|who|when|where|how|find|search|get|list|show|fetch|look up|tell|give|check|retrieve|read|calculate|compute|compare|summari[sz]e|describe|count)\b/i;
/** Answers shorter than this, to a question of the model's, carry the task on. */
const continuationWordsMax = 4;

/** What a request is about, from its newest user turn. A label for the log and for grouping figures; nothing is left out because of it. */
export function classifyIntent(turn: string, hasOpenResults: boolean): IntentClass {
  if (hasOpenResults) return 'continue';
  const text = turn.slice(0, charactersMax);
  if (goOn.test(text) && text.split(/\s+/).length <= continuationWordsMax) return 'continue';
  if (code.test(text)) return 'code';
  if (severalSteps.test(text) && (act.test(text) || lookup.test(text))) return 'multi-step';
  if (act.test(text)) return 'act';
  return lookup.test(text) ? 'lookup' : 'chat';
}
