import { keywordPrior } from './keyword-prior.ts';
import type { RecallPriors } from './recall-prior.ts';
import { semanticPrior } from './semantic-prior.ts';

export const priors: RecallPriors = { keyword: keywordPrior, semantic: semanticPrior };
