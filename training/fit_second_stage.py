"""Fits the second stage of the ranking: a listwise model with a linear part and a few rectified units.
The model is the mean over several random seeds.
For each family of tool sets, the script fits one model without that family.
For that model, the features come from encoders that were not trained on the family.
In addition, the script fits one model on all tool sets.

python3 training/fit_second_stage.py         ->  generated/second-stage.json, for the first encoder
python3 training/fit_second_stage.py --both  ->  generated/second-stage-both.json, for both encoders
"""
import json
import os
import sys

import numpy as np
import torch

first_seed, seeds = 20261120, 3
units, steps, rate, decay = 8, 120, 0.03, 0.01
# Maximum number of questions per tool set and pool size. All tool sets have the same weight, so more questions add little.
questions_max = 150
# The gain in log-odds for tools with which the agent asks its user. The gain is set by hand, and gains from 1 to 4 work.
# Only one family of tool sets has such tools, so the gain can be measured only on this family.
# The reranker's model card lists the recall without this gain.
by_hand = {"asks_user": 2.0}
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generated")
torch.set_num_threads(1)

meta = json.load(open(os.path.join(here, "features.json")))
both = "--both" in sys.argv
names, items = meta["names"], meta["items"]
flat = np.fromfile(os.path.join(here, "features.f32"), dtype=np.float32).reshape(-1, len(names))
if not both:
    columns = [at for at, name in enumerate(names) if not name.startswith("second_")]
    names, flat = [names[at] for at in columns], flat[:, columns]
learned = [at for at, name in enumerate(names) if name not in by_hand]
flat_learned = flat[:, learned]
sizes = np.array([item["tools"] for item in items])
starts = np.concatenate([[0], np.cumsum(sizes)])
keys = [(item["dataset"], item["size"]) for item in items]
folds = [item["fold"] for item in items]
width = int(sizes.max())


def choose_questions():
    order = np.random.default_rng(first_seed).permutation(len(items))
    counts, chosen = {}, []
    for at in order:
        if not all(items[at]["golds"]):
            continue
        counts[keys[at]] = counts.get(keys[at], 0) + 1
        if counts[keys[at]] <= questions_max:
            chosen.append(int(at))
    return sorted(chosen)


def lay_out(chosen):
    """Returns padded features, a mask of the rows that are not negatives, the first alternative of each needed tool, and weights."""
    features = np.zeros((len(chosen), width, len(learned)), dtype=np.float32)
    no_negative = np.ones((len(chosen), width), dtype=bool)
    gold = np.zeros((len(chosen), width), dtype=bool)
    for row, at in enumerate(chosen):
        features[row, : sizes[at]] = flat_learned[starts[at] : starts[at + 1]]
        no_negative[row, : sizes[at]] = False
        for places in items[at]["golds"]:
            no_negative[row, places] = True
            gold[row, places[0]] = True
    counts = {}
    for at in chosen:
        counts[keys[at]] = counts.get(keys[at], 0) + 1
    weights = np.array([1 / counts[keys[at]] for at in chosen], dtype=np.float32)
    weights = torch.from_numpy(weights / weights.sum())
    return torch.from_numpy(features), torch.from_numpy(no_negative), torch.from_numpy(gold), weights


def fit_one(features, no_negative, gold, weights, seed):
    torch.manual_seed(seed)
    linear = torch.zeros(features.shape[2], requires_grad=True)
    inward = (torch.randn(features.shape[2], units) * 0.2).requires_grad_()
    bias = torch.zeros(units, requires_grad=True)
    outward = (torch.randn(units) * 0.05).requires_grad_()
    optimizer = torch.optim.Adam([linear, inward, bias, outward], lr=rate)
    golds = gold.sum(1).clamp(min=1)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        scores = features @ linear + torch.relu(features @ inward + bias) @ outward
        negatives = scores.masked_fill(no_negative, -1e4).logsumexp(1, keepdim=True)
        losses = (torch.logaddexp(scores, negatives) - scores).masked_fill(~gold, 0)
        size = (linear**2).sum() + (inward**2).sum() + (outward**2).sum()
        loss = (weights * losses.sum(1) / golds).sum() + decay * size
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return [each.detach().numpy() for each in (linear, inward, bias, outward)]


def fit(chosen):
    """Returns the weights for the raw features: linear [features], inward [features, units], bias [units], outward [units]."""
    features, no_negative, gold, weights = lay_out(chosen)
    rows = np.concatenate([flat_learned[starts[at] : starts[at + 1]] for at in chosen])
    means, scales = rows.mean(0), np.maximum(rows.std(0), 1e-3)
    features = (features - torch.from_numpy(means)) / torch.from_numpy(scales)
    fits = [fit_one(features, no_negative, gold, weights, first_seed + at) for at in range(seeds)]
    linear = np.zeros(len(names))
    inward = np.zeros((len(names), units * seeds))
    linear[learned] = np.mean([each[0] for each in fits], axis=0) / scales
    inward[learned] = np.concatenate([each[1] for each in fits], axis=1) / scales[:, None]
    bias = np.concatenate([each[2] for each in fits]) - means @ inward[learned]
    outward = np.concatenate([each[3] for each in fits]) / seeds
    for name, gain in by_hand.items():
        linear[names.index(name)] = gain
    return {"linear": linear, "inward": inward, "bias": bias, "outward": outward}


def score(model, features):
    return features @ model["linear"] + np.maximum(features @ model["inward"] + model["bias"], 0) @ model["outward"]


def measure(scores_of, size):
    """Returns recall@5, recall@10 and all@10 of each tool set."""
    found = {}
    for at, item in enumerate(items):
        if item["size"] != size:
            continue
        scores = scores_of(item, flat[starts[at] : starts[at + 1]])
        ranks = np.empty(len(scores), dtype=int)
        ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
        golds = [min((ranks[place] for place in places), default=width) for places in item["golds"]]
        figures = (np.mean([r < 5 for r in golds]), np.mean([r < 10 for r in golds]), all(r < 10 for r in golds))
        found.setdefault(item["dataset"], []).append(figures)
    return {name: np.mean(each, axis=0) * 100 for name, each in sorted(found.items())}


def show(label, scores_of):
    figures = {size: measure(scores_of, size) for size in (25, 100)}
    means = {size: np.mean(list(table.values()), axis=0) for size, table in figures.items()}
    print(
        f"{label:14} R@5 {means[100][0]:.2f} R@10 {means[100][1]:.2f} all@10 {means[100][2]:.2f} "
        f"pool 25 R@10 {means[25][1]:.2f}",
        flush=True,
    )
    return figures[100]


if __name__ == "__main__":
    keyword = names.index("keyword_share")
    base = show("keyword", lambda item, features: features[:, keyword])
    chosen = choose_questions()
    fitted = {fold: fit([at for at in chosen if folds[at] != fold]) for fold in sorted(set(folds))}
    cross = show("cross-fitted", lambda item, features: score(fitted[item["fold"]], features))
    for name, figures in cross.items():
        print(f"  {name:18} " + " ".join(f"{each:5.1f} ({was:5.1f})" for each, was in zip(figures, base[name])))
    final = fit(chosen)
    show("in sample", lambda item, features: score(final, features))
    packed = [{key: value.tolist() for key, value in model.items()} for model in [final, *fitted.values()]]
    with open(os.path.join(here, "second-stage-both.json" if both else "second-stage.json"), "w") as file:
        json.dump({"features": names, "all": packed[0], "folds": packed[1:]}, file)
