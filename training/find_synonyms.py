"""Finds each frequent word's nearest neighbours in the table of word vectors.

python3 training/find_synonyms.py  ->  generated/synonyms.i32 [pairs, 3]: word id, neighbour id, cosine in 255ths.
"""
import os

import numpy as np
import torch
import torch.nn.functional as F

dimensions = 256
neighbours, cosine_min, count_min = 10, 0.4, 4
here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "generated")
torch.set_num_threads(1)

words = len(open(os.path.join(here, "vocabulary.txt"), encoding="utf8").read().split("\n")) - 1
scales = np.fromfile(os.path.join(here, "table-scales.f32"), dtype=np.float32)
counts = np.fromfile(os.path.join(here, "word-counts.i32"), dtype=np.int32)
table = np.fromfile(os.path.join(here, "table.i8"), dtype=np.int8).reshape(len(scales), dimensions)
ids = np.flatnonzero(counts[: words + 1] >= count_min)
ids = ids[ids > 0]
vectors = F.normalize(torch.from_numpy(table[ids].astype(np.float32)), dim=1)
found = []
for start in range(0, len(ids), 2048):
    cosines, nearest = (vectors[start : start + 2048] @ vectors.T).topk(neighbours + 1)
    for row, (values, places) in enumerate(zip(cosines.numpy(), nearest.numpy())):
        for value, place in zip(values, places):
            if place != start + row and value >= cosine_min:
                found.append((ids[start + row], ids[place], round(float(value) * 255)))
np.array(found, dtype=np.int32).tofile(os.path.join(here, "synonyms.i32"))
print(f"{len(found)} neighbours of {len(ids)} words")
