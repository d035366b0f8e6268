"""Work spread over processes."""

import multiprocessing
import os
import sys
import time
from functools import partial

import pytest

from opbook.examples import processes
from opbook.examples.processes import spread, spread_one_by_one

pytestmark = pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system can't fork")


@pytest.fixture(autouse=True)
def two_processors(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(processes, "_UNFORKABLE", {"a_framework"})  # another test may have loaded PyTorch


def test_results_keep_the_order_of_their_parts():
    me = os.getpid()
    results = spread(lambda part: (part * part, os.getpid() != me), range(7))
    assert results == [(part * part, True) for part in range(7)]


def test_once_a_framework_with_threads_is_loaded_nothing_is_forked(monkeypatch):
    monkeypatch.setitem(sys.modules, "a_framework", sys)
    me = os.getpid()
    assert spread(lambda part: os.getpid() == me, range(7)) == [True] * 7


def test_a_part_that_ends_its_process_is_done_here():
    me = os.getpid()

    def work(part):
        if part == 3 and os.getpid() != me:
            os._exit(1)
        return part

    assert spread(work, range(5)) == [0, 1, 2, 3, 4]


def test_whoever_stops_asking_does_not_wait_for_the_rest():
    results = spread_one_by_one(lambda part: time.sleep(3600 * part), [0, 1, 1, 1])
    next(results)
    results.close()
    assert not multiprocessing.active_children()


def test_an_error_in_a_process_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        spread(partial(divmod, 1), [1, 0])
