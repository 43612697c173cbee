"""Fits the second stage: a linear listwise model, each family of sets left out in turn, then on all.

python3 training/fit_second_stage.py  ->  generated/second-stage.json
"""
import json
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

seed = 20261120
steps, rate, decay = 400, 0.05, 0.002
size_weights = {25: 0.5, 100: 1.0}
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generated")
torch.set_num_threads(1)

meta = json.load(open(os.path.join(here, "features.json")))
names, items = meta["names"], meta["items"]
flat = np.fromfile(os.path.join(here, "features.f32"), dtype=np.float32).reshape(-1, len(names))
sizes = np.array([item["tools"] for item in items])
starts = np.concatenate([[0], np.cumsum(sizes)])
sets = np.array([item["dataset"] for item in items])
pools = np.array([item["size"] for item in items])
fold_of = np.array([-1 if item["fold"] is None else item["fold"] for item in items])
width = int(sizes.max())


def lay_out(chosen):
    """Padded features, mask of tools, positives (first of each gold's alternatives), and what is no negative."""
    features = np.zeros((len(chosen), width, len(names)), dtype=np.float32)
    here_is = np.zeros((len(chosen), width), dtype=bool)
    gold = np.zeros((len(chosen), width), dtype=bool)
    neutral = np.zeros((len(chosen), width), dtype=bool)
    for row, at in enumerate(chosen):
        features[row, : sizes[at]] = flat[starts[at] : starts[at + 1]]
        here_is[row, : sizes[at]] = True
        for places in items[at]["golds"]:
            neutral[row, places] = True
            gold[row, places[:1]] = True
    return [torch.from_numpy(each) for each in (features, here_is, gold, neutral)]


def weigh(chosen):
    """Each set weighs the same in each size of pool."""
    keys = [(sets[at], pools[at]) for at in chosen]
    counts = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    weights = np.array([size_weights[key[1]] / counts[key] for key in keys])
    return torch.from_numpy((weights / weights.sum()).astype(np.float32))


def fit(chosen):
    torch.manual_seed(seed)
    features, here_is, gold, neutral = lay_out(chosen)
    weights = weigh(chosen)
    means = features[here_is].mean(0)
    scales = features[here_is].std(0).clamp(min=1e-3)
    features = (features - means) / scales
    linear = torch.zeros(len(names), requires_grad=True)
    optimizer = torch.optim.Adam([linear], lr=rate)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * (1 - step / steps)
        scores = features @ linear
        negatives = scores.masked_fill(neutral | ~here_is, -1e4).logsumexp(1, keepdim=True)
        losses = (torch.logaddexp(scores, negatives) - scores).masked_fill(~gold, 0)
        loss = (weights * losses.sum(1) / gold.sum(1).clamp(min=1)).sum() + decay * (linear**2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return (linear / scales).detach().numpy()


def measure(weights_of, depth, size):
    """By set: recall and share of questions with all golds, at a depth."""
    found = {}
    for at, item in enumerate(items):
        if item["size"] != size:
            continue
        scores = flat[starts[at] : starts[at + 1]] @ weights_of(item)
        best = set(np.argsort(-scores, kind="stable")[:depth])
        hits = [any(place in best for place in gold) for gold in item["golds"]]
        found.setdefault(item["dataset"], []).append((sum(hits) / len(hits), all(hits)))
    return {name: np.mean(each, axis=0) * 100 for name, each in sorted(found.items())}


def show(label, weights_of):
    figures = {key: measure(weights_of, *key) for key in ((5, 100), (10, 100), (10, 25))}
    means = {key: np.mean(list(table.values()), axis=0) for key, table in figures.items()}
    print(
        f"{label:24} R@5 {means[5, 100][0]:.2f} R@10 {means[10, 100][0]:.2f} all@10 {means[10, 100][1]:.2f} "
        f"pool 25 R@10 {means[10, 25][0]:.2f}",
        flush=True,
    )
    return figures


if __name__ == "__main__":
    one = np.zeros(len(names), dtype=np.float32)
    one[names.index("keyword_share")] = 1
    base = show("keyword", lambda item: one)
    chosen = [at for at in range(len(items)) if items[at]["golds"]]
    fitted = {fold: fit([at for at in chosen if fold_of[at] != fold]) for fold in sorted(set(fold_of))}
    cross = show("cross-fitted", lambda item: fitted[item["fold"]])
    final = fit(chosen)
    show("in sample", lambda item: final)
    for name in cross[10, 100]:
        print(
            f"  {name:18} R@5 {cross[5, 100][name][0]:5.1f} ({base[5, 100][name][0]:5.1f})  "
            f"R@10 {cross[10, 100][name][0]:5.1f} ({base[10, 100][name][0]:5.1f})"
        )
    for name, weight, scale in zip(names, final, flat.std(0)):
        print(f"  {name:24} {weight:8.3f}  x sd {weight * scale:7.3f}")
    json.dump(
        {
            "features": names,
            "all": [float(value) for value in final],
            "folds": [[float(value) for value in fitted[fold]] for fold in sorted(fitted)],
        },
        open(os.path.join(here, "second-stage.json"), "w"),
    )
