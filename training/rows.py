"""Reads the files that the Node scripts write, in the format described in token-rows.ts."""
import numpy as np


def read_rows(path):
    """Returns the offsets (count + 1) and the values of packed rows."""
    packed = np.fromfile(path, dtype=np.int32)
    count = int(packed[0])
    return packed[1 : count + 2].astype(np.int64), packed[count + 2 :].astype(np.int64)


def take_rows(starts, values, rows):
    """Returns the values of some rows in sequence, and each row's start and length."""
    lengths = starts[rows + 1] - starts[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    index = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths) + np.repeat(starts[rows], lengths)
    return values[index], offsets[:-1], lengths
