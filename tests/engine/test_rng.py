"""Random numbers: kernels and Python agree, streams are independent of each other and uniform."""

from __future__ import annotations

import random

import numpy as np

from tarocchi_engine.rng import fresh_seed, mix, next_below, next_u64, next_unit, split, split_stream

_WORD = (1 << 64) - 1
_STEP = 0xA0761D6478BD642F
_MIX = 0xE7037ED1A0B428DB


def stream_of(seed: int) -> np.ndarray:
    return np.array([seed], dtype=np.uint64)


def chi_square(counts: np.ndarray) -> float:
    """Returns how many standard deviations the statistic of equally likely counts lies off its mean."""
    expected = counts.sum() / counts.size
    freedom = counts.size - 1
    return (float(((counts - expected) ** 2 / expected).sum()) - freedom) / (2 * freedom) ** 0.5


def test_splitting_in_kernels_is_splitting_in_python() -> None:
    rng = random.Random("split")
    seeds = [0, 1, _WORD, 1 << 63, *(rng.getrandbits(64) for _ in range(200))]
    for seed in seeds:
        for key in (0, 1, 17, 2**31, 2**63 - 1, rng.getrandbits(40)):
            assert int(split_stream(np.uint64(seed), np.int64(key))) == split(seed, key)


def test_splits_of_all_names_differ() -> None:
    seeds = {split(seed, first, second) for seed in range(20) for first in range(20) for second in range(20)}
    assert len(seeds) == 8000
    assert len({split(1), split(1, 0), split(1, 0, 0), split(1, -1)}) == 4
    assert split(5, 1, 2) != split(5, 2, 1)


def test_mixing_is_a_known_function() -> None:
    """The first outputs of SplitMix64 from seed 1234567 (the reference values of the published generator)."""
    golden = 0x9E3779B97F4A7C15
    words = [int(mix(np.uint64((1234567 + golden * step) & _WORD))) for step in range(1, 4)]
    assert words == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_drawing_is_wyrand() -> None:
    state = 42
    stream = stream_of(42)
    for _ in range(1000):
        state = (state + _STEP) & _WORD
        product = state * (state ^ _MIX)
        assert int(next_u64(stream)) == (product >> 64) ^ (product & _WORD)
        assert int(stream[0]) == state


def test_seeds_of_the_system_fit_signed_numbers_and_differ() -> None:
    seeds = [fresh_seed() for _ in range(100)]
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_every_bit_of_a_stream_is_fair() -> None:
    stream = stream_of(split(3))
    count = 20_000
    words = np.array([int(next_u64(stream)) for _ in range(count)], dtype=np.uint64)
    for index in range(64):
        ones = int(((words >> np.uint64(index)) & np.uint64(1)).sum())
        assert abs(ones - count / 2) < 5 * (count / 4) ** 0.5


def test_small_ranges_are_uniform_and_within_bounds() -> None:
    for count in (1, 2, 3, 15, 62):
        stream = stream_of(split(4, count))
        draws = [int(next_below(stream, count)) for _ in range(10_000)]
        counts = np.bincount(draws, minlength=count)
        assert counts.size == count
        if count > 1:
            assert abs(chi_square(counts)) < 5


def test_first_draws_of_many_streams_are_uniform() -> None:
    """Worlds numbered 0, 1, 2, ... use neighbouring keys: their first draws must not be related."""
    seed = np.uint64(11)
    draws = np.array([int(next_below(stream_of(int(split_stream(seed, key))), 16)) for key in range(10_000)])
    assert abs(chi_square(np.bincount(draws, minlength=16))) < 5
    pairs = draws[:-1] * 16 + draws[1:]
    assert abs(chi_square(np.bincount(pairs, minlength=256))) < 5


def test_unit_draws_lie_in_the_unit_interval() -> None:
    stream = stream_of(split(5))
    draws = [float(next_unit(stream)) for _ in range(10_000)]
    assert 0 <= min(draws) < 0.001
    assert 0.999 < max(draws) < 1
    assert abs(chi_square(np.bincount((np.array(draws) * 20).astype(int), minlength=20))) < 5
