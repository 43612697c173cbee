"""Trains word weights, field gains and the linear map for user turns on tool sets.
The table of word vectors does not change.

python3 training/finetune_encoder.py [FOLD ...]  ->  generated/encoder-FOLD.f32; with `all`, no fold is held out.
"""
import json
import os
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

from rows import read_rows, take_rows

seed = 20261120
dimensions = 256
temperature = 0.06
steps, questions_a_step, tools_a_step = 300, 48, 384
# The learning rates are deliberately low.
# Tripled rates lower the recall of held-out families by as much as they raise the recall of the other families.
rates = {"weights": 0.003, "gains": 0.015, "turn": 0.0003}
pull = {"weights": 0.02, "turn": 0.05}
context_field = 2
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generated")
torch.set_num_threads(1)

scales = np.fromfile(os.path.join(here, "table-scales.f32"), dtype=np.float32)
whole = np.fromfile(os.path.join(here, "table.i8"), dtype=np.int8).reshape(len(scales), dimensions)
table = torch.from_numpy(whole * scales[:, None])
first_weights = torch.from_numpy(
    np.fromfile(os.path.join(here, "pretrained-weights.f32"), dtype=np.float32).reshape(len(scales), 2)
)
questions = json.load(open(os.path.join(here, "questions.json")))
tool_starts, tool_tokens = read_rows(os.path.join(here, "tools.bin"))
_, tool_fields = read_rows(os.path.join(here, "tools.fields.bin"))
turn_starts, turn_tokens = read_rows(os.path.join(here, "turns.bin"))
_, turn_fields = read_rows(os.path.join(here, "turns.fields.bin"))
# The fields are padding, query, context, name, description, parameterName, parameterDescription, enumValue, example.
first_gains = torch.tensor([0, 0, -1.0, 0.7, 0, -0.4, -1.2, -1.2, 0])


class WeighedSum(torch.autograd.Function):
    """Computes weighted sums of the table's rows. The table itself is not trained."""

    @staticmethod
    def forward(context, shares, ids, offsets, owners):
        context.save_for_backward(ids, owners)
        return F.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=shares)

    @staticmethod
    def backward(context, gradient):
        ids, owners = context.saved_tensors
        return (table[ids] * gradient[owners]).sum(1), None, None, None


class Encoder:
    def __init__(self):
        self.weights = first_weights.clone().requires_grad_()
        self.gains = first_gains.clone().requires_grad_()
        self.turn = torch.eye(dimensions).requires_grad_()

    def encode(self, starts, tokens, field_ids, rows, side):
        ids, offsets, lengths = take_rows(starts, tokens, rows)
        in_fields, _, _ = take_rows(starts, field_ids, rows)
        ids, in_fields = torch.from_numpy(ids), torch.from_numpy(in_fields)
        shares = (self.weights[ids, side] + self.gains[in_fields]).exp()
        owners = torch.from_numpy(np.repeat(np.arange(len(rows)), lengths))
        sums = WeighedSum.apply(shares, ids, torch.from_numpy(offsets), owners)
        if side == 0:
            sums = sums @ self.turn
        return F.normalize(sums, dim=1, eps=1e-6)

    def turns(self, rows):
        return self.encode(turn_starts, turn_tokens, turn_fields, rows, 0)

    def tools(self, rows):
        return self.encode(tool_starts, tool_tokens, tool_fields, rows, 1)


def train(held_out):
    generator = np.random.default_rng(seed)
    by_set = {}
    for at, question in enumerate(questions):
        if question["fold"] != held_out:
            by_set.setdefault(question["dataset"], []).append(at)
    sets = sorted(by_set)
    pools = {name: np.unique(np.concatenate([questions[at]["large"] for at in by_set[name]])) for name in sets}
    chances = np.array([len(by_set[name]) ** 0.5 for name in sets])
    encoder = Encoder()
    optimizer = torch.optim.Adam(
        [
            {"params": [encoder.weights], "lr": rates["weights"]},
            {"params": [encoder.gains], "lr": rates["gains"]},
            {"params": [encoder.turn], "lr": rates["turn"]},
        ]
    )
    first_rates = [group["lr"] for group in optimizer.param_groups]
    for step in range(steps):
        for group, rate in zip(optimizer.param_groups, first_rates):
            group["lr"] = rate * (1 - step / steps)
        name = sets[generator.choice(len(sets), p=chances / chances.sum())]
        asked = generator.choice(by_set[name], min(questions_a_step, len(by_set[name])), replace=False)
        golds = [np.array([line for gold in questions[at]["golds"] for line in gold]) for at in asked]
        others = generator.choice(pools[name], min(tools_a_step, len(pools[name])), replace=False)
        tools = np.unique(np.concatenate([*golds, others]))
        is_gold = np.stack([np.isin(tools, gold) for gold in golds])
        scores = encoder.turns(np.array(asked)) @ encoder.tools(tools).T / temperature
        positive = torch.from_numpy(is_gold).float()
        # A question's needed tools compete only with tools that the question does not need.
        negatives = scores.masked_fill(positive.bool(), -1e4).logsumexp(1, keepdim=True)
        losses = (torch.logaddexp(scores, negatives) - scores) * positive
        loss = (losses.sum(1) / positive.sum(1).clamp(min=1)).mean()
        loss = loss + pull["weights"] * ((encoder.weights - first_weights) ** 2).sum() / 1000
        loss = loss + pull["turn"] * ((encoder.turn - torch.eye(dimensions)) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        # The context's gain is not trained, because the two tool sets with dialogues need opposite changes.
        encoder.gains.grad[context_field] = 0
        optimizer.step()
    return encoder


def recall(encoder, chosen, depth=10):
    """Returns each tool set's mean recall at `depth`, with 100 candidate tools."""
    by_set = {}
    with torch.no_grad():
        tools = encoder.tools(np.arange(len(tool_starts) - 1))
        turns = encoder.turns(np.arange(len(turn_starts) - 1))
        for at in chosen:
            question = questions[at]
            pool = np.array(question["pool"])
            best = set(pool[(tools[pool] @ turns[at]).topk(min(depth, len(pool))).indices.numpy()])
            hits = [any(line in best for line in gold) for gold in question["golds"]]
            by_set.setdefault(question["dataset"], []).append(sum(hits) / len(hits))
    return {name: 100 * sum(each) / len(each) for name, each in sorted(by_set.items())}


def show(label, figures):
    mean = sum(figures.values()) / max(1, len(figures))
    print(label, f"{mean:.1f}", {name: round(value, 1) for name, value in figures.items()}, flush=True)


def save(encoder, path):
    """Writes one array: token weights [rows, 2] as in the graph (multiplied by the table's scales), gains [fields], turn map."""
    token_weights = encoder.weights.detach().exp().numpy() * scales[:, None]
    gains = encoder.gains.detach().exp().numpy()
    parts = [token_weights.ravel(), gains, encoder.turn.detach().numpy().ravel()]
    np.concatenate(parts).astype(np.float32).tofile(path)


if __name__ == "__main__":
    everything = range(len(questions))
    names = sorted({question["fold"] for question in questions if question["fold"] is not None})
    wanted = sys.argv[1:] or [*map(str, names), "all"]
    if wanted == ["none"]:
        show("pairs alone, recall@5", recall(Encoder(), everything, 5))
        show("pairs alone, recall@10", recall(Encoder(), everything))
        wanted = []
    totals = {}
    for name in wanted:
        started = time.time()
        torch.manual_seed(seed)
        encoder = train(None if name == "all" else int(name))
        save(encoder, os.path.join(here, f"encoder-{name}.f32"))
        if name != "all":
            held_out = [at for at in everything if questions[at]["fold"] == int(name)]
            figures = recall(encoder, held_out)
            totals.update(figures)
            show(f"fold {name} ({time.time() - started:.0f} s), recall@10", figures)
    if totals:
        show("held out, recall@10", totals)
