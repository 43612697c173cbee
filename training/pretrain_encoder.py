"""Trains the table of word vectors on text pairs, with symmetric InfoNCE and in-batch negatives.
Each batch contains pairs of one kind only.

python3 training/pretrain_encoder.py  ->  generated/table.i8 [rows, dimensions] with table-scales.f32, pretrained-weights.f32 [rows, 2]
"""
import json
import math
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from rows import read_rows, take_rows

seed = 20261120
dimensions = 256
batch = 1024
temperature = 0.06
epochs = {"aws": 5, "awsm": 3, "tldr": 5, "wn": 3, "wns": 2, "wnx": 2, "doc": 5, "docm": 3}
rate_table, rate_weights = 0.01, 0.01
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generated")

torch.manual_seed(seed)
generator = np.random.default_rng(seed)
torch.set_num_threads(1)
starts, values = read_rows(os.path.join(here, "pairs.bin"))
kinds = np.array(open(os.path.join(here, "pair-kinds.txt")).read().split("\n"))
table_rows = json.load(open(os.path.join(here, "shape.json")))["rows"]

counts = np.bincount(values, minlength=table_rows)
# Rare words carry more information, so training starts with each word's smoothed inverse frequency as its weight.
start_weights = np.log(1e-4 / (1e-4 + counts / counts.sum()) + 0.02).astype(np.float32)
weights = torch.tensor(np.stack([start_weights, start_weights], 1), requires_grad=True)
table = torch.nn.Embedding(table_rows, dimensions, sparse=True)
torch.nn.init.normal_(table.weight, std=1 / math.sqrt(dimensions))


def encode(rows, side):
    ids, offsets, lengths = take_rows(starts, values, rows)
    ids = torch.from_numpy(ids)
    shares = weights[ids, side].exp()
    bags = torch.from_numpy(offsets)
    sums = F.embedding_bag(ids, table.weight, bags, mode="sum", per_sample_weights=shares, sparse=True)
    return F.normalize(sums, dim=1)


def batches():
    plan = []
    for kind, times in epochs.items():
        members = np.flatnonzero(kinds == kind)
        for _ in range(times):
            shuffled = generator.permutation(members)
            plan += [shuffled[at : at + batch] for at in range(0, len(shuffled) - batch // 2, batch)]
    return [plan[at] for at in generator.permutation(len(plan))]


def name_texts():
    """Returns one number per text. Equal texts have the same number, so a text is never a negative example for an equal text."""
    mixed = np.zeros(len(starts) - 1, dtype=np.int64)
    np.add.at(mixed, np.repeat(np.arange(len(mixed)), np.diff(starts)), values * values * 2654435761 + values * 40503)
    return mixed


def step_rows(rate):
    """The Adam optimizer without momentum, and with one second moment per row. Only the rows that occur in the batch change."""
    gradient = table.weight.grad.coalesce()
    rows, values_of_rows = gradient.indices()[0], gradient.values()
    seen = squares[rows] * 0.95 + 0.05 * values_of_rows.pow(2).mean(1)
    squares[rows] = seen
    with torch.no_grad():
        table.weight[rows] -= rate * values_of_rows / (seen.sqrt().unsqueeze(1) + 1e-8)


names = name_texts()
plan = batches()
squares = torch.zeros(table_rows)
dense = torch.optim.Adam([weights], lr=rate_weights)
started, running = time.time(), 0.0
for step, members in enumerate(plan):
    share = 1 - step / len(plan)
    for group in dense.param_groups:
        group["lr"] = rate_weights * share
    one, other = encode(2 * members, 0), encode(2 * members + 1, 1)
    scores = one @ other.T / temperature
    same = (names[2 * members][:, None] == names[2 * members][None]) | (
        names[2 * members + 1][:, None] == names[2 * members + 1][None]
    )
    np.fill_diagonal(same, False)
    scores = scores.masked_fill(torch.from_numpy(same), -1e4)
    target = torch.arange(len(members))
    loss = (F.cross_entropy(scores, target) + F.cross_entropy(scores.T, target)) / 2
    table.weight.grad = None
    dense.zero_grad()
    loss.backward()
    step_rows(rate_table * share)
    dense.step()
    running = 0.98 * running + 0.02 * loss.item() if step else loss.item()
    if step % 20 == 0:
        print(f"{step}/{len(plan)} loss {running:.3f} {time.time() - started:.0f} s", flush=True)

learned = table.weight.detach().numpy()
scales = np.maximum(np.abs(learned).max(1), 1e-6) / 127
np.round(learned / scales[:, None]).astype(np.int8).tofile(os.path.join(here, "table.i8"))
scales.astype(np.float32).tofile(os.path.join(here, "table-scales.f32"))
weights.detach().numpy().tofile(os.path.join(here, "pretrained-weights.f32"))
counts.astype(np.int32).tofile(os.path.join(here, "word-counts.i32"))
