import type { ModelObservation } from '@gateway/contracts';
import { chooseInsights, samplesMin } from './insights.route.ts';

const observed = (model: string, change: Partial<ModelObservation> = {}): ModelObservation => ({
  ...{ provider: 'openai', model, requests: 40, ended: 40, failed: 0, streamed: 40 },
  ...{ first_token_p50_ms: 100, first_token_p95_ms: 200, total_p50_ms: 300, total_p95_ms: 400 },
  ...{ judged: 40, recalled: 40 },
  ...change,
});
const namesOf = (list: readonly { model_id: string }[]) => list.map(({ model_id }) => model_id);

describe('insights', () => {
  it('rank models by recall, by median time to the first token, and by use', () => {
    const insights = chooseInsights([
      observed('slow', { first_token_p50_ms: 900, requests: 60 }),
      observed('forgetful', { recalled: 30 }),
      observed('quick', { first_token_p50_ms: 50, recalled: 39, requests: 100 }),
    ]);
    expect(namesOf(insights.best_recall)).toEqual(['slow', 'quick', 'forgetful']);
    expect(insights.best_recall[2]).toMatchObject({ tool_recall: 0.75, samples: 40 });
    expect(namesOf(insights.fastest)).toEqual(['quick', 'forgetful', 'slow']);
    expect(namesOf(insights.most_used)).toEqual(['quick', 'slow', 'forgetful']);
    expect(insights.most_used.map(({ share }) => share)).toEqual([0.5, 0.3, 0.2]);
  });

  it('exclude models with too few requests from the lists of the best and the fastest models', () => {
    const few = { judged: samplesMin - 1, recalled: samplesMin - 1, streamed: samplesMin - 1 };
    const none = { judged: 0, recalled: 0, streamed: 0, first_token_p50_ms: null };
    const insights = chooseInsights([observed('few', few), observed('none', none)]);
    expect(insights).toMatchObject({ best_recall: [], fastest: [], samples_min: samplesMin });
    expect(namesOf(insights.most_used)).toEqual(['few', 'none']);
  });

  it('list at most five models, and no models without requests', () => {
    const many = Array.from({ length: 8 }, (_, at) => observed(`m-${at}`));
    const { best_recall, fastest, most_used } = chooseInsights(many);
    expect([best_recall.length, fastest.length, most_used.length]).toEqual([5, 5, 5]);
    expect(chooseInsights([]).most_used).toEqual([]);
  });
});
