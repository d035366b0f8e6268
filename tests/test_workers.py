"""Work shared among threads: the same results as without them, and BLAS as it was before."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from opbook import workers

threadpoolctl = pytest.importorskip("threadpoolctl", reason="threadpoolctl is not installed, so nothing is shared")


def blas_threads():
    return [library.num_threads for library in workers._libraries()]


@pytest.fixture(autouse=True)
def two_threads():
    """BLAS with two threads, whatever machine this is."""
    before = blas_threads()
    for library in workers._libraries():
        library.set_num_threads(2)
    yield
    for library, number in zip(workers._libraries(), before, strict=True):
        library.set_num_threads(number)


def test_results_come_in_the_order_of_the_items():
    assert workers.share(lambda n: n * n, range(7)) == [0, 1, 4, 9, 16, 25, 36]
    assert workers.share(lambda n: n, []) == []


def test_two_items_are_worked_on_at_once():
    meeting = threading.Barrier(2, timeout=30)  # nobody passes it alone
    workers.share(lambda _: meeting.wait(), [0, 1])


def test_the_callers_context_holds_in_every_thread():
    meeting = threading.Barrier(2, timeout=30)

    def divide(_):
        meeting.wait()
        return np.ones(3) / 0

    with np.errstate(divide="ignore"):
        assert np.isinf(workers.share(divide, [0, 1])).all()


def test_sharing_within_what_is_shared():
    assert workers.share(lambda n: sum(workers.share(lambda m: n * m, [1, 2, 3])), [1, 10]) == [6, 60]


def test_blas_has_one_thread_meanwhile_and_as_many_as_before_afterwards():
    with workers.hold_blas():
        assert set(blas_threads()) == {1}
        with workers.hold_blas():
            assert workers.count() == 2
        assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {2}


def test_an_error_reaches_the_caller_and_leaves_nothing_behind():
    def fail(n):
        raise ValueError(f"item {n}")

    with pytest.raises(ValueError, match="item"):
        workers.share(fail, [1, 2, 3])
    assert set(blas_threads()) == {2}
    assert workers.share(lambda n: -n, [1, 2, 3]) == [-1, -2, -3]


def test_many_threads_share_at_once():
    found = {}

    def run(n):
        found[n] = workers.share(lambda m: n * m, [1, 2, 3])

    threads = [threading.Thread(target=run, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [n, 2 * n, 3 * n] for n in range(8)}
    assert set(blas_threads()) == {2}


def test_without_threadpoolctl_nothing_is_shared(monkeypatch):
    monkeypatch.setattr(workers, "_libraries", lambda: ())
    me = threading.current_thread()
    assert workers.count() == 1
    assert workers.share(lambda _: threading.current_thread(), [0, 1]) == [me, me]


@pytest.mark.parametrize(("m", "k", "n"), [(301, 120, 130), (130, 120, 301), (1, 2**22, 1), (3, 4, 5), (0, 4, 5)])
def test_a_product_in_parts_is_the_product(m, k, n):
    a, b = np.random.default_rng(0).normal(size=(m, k)), np.random.default_rng(1).normal(size=(n, k)).T
    np.testing.assert_allclose(workers.product(a, b), a @ b, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize(("length", "parts"), [(7, 2), (1, 2), (2, 3), (10, 4), (0, 2)])
def test_cuts_cover_an_axis_once(length, parts):
    cuts = workers.cuts(length, parts)
    assert [i for cut in cuts for i in range(cut.start, cut.stop)] == list(range(length))
    assert len(cuts) <= parts
    assert all(cut.start < cut.stop for cut in cuts)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Python 3.12, about forking with threads
def test_a_forked_process_has_threads_of_its_own():
    workers.share(lambda n: n, [1, 2])
    child = os.fork()
    if child == 0:
        os._exit(0 if workers.share(lambda n: n, [1, 2]) == [1, 2] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_forked_while_blas_is_held_has_all_threads():
    before = workers.count()
    with workers.hold_blas():
        child = os.fork()
        if child == 0:
            os._exit(0 if workers.count() == before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert workers.count() == before


def test_there_is_an_answer_while_the_interpreter_shuts_down():
    code = "import atexit; from opbook import workers; f = lambda n: 2 * n; workers.share(f, [1, 2]); "
    code += "atexit.register(lambda: print(workers.share(f, [1, 2, 3])))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[2, 4, 6]\n", "")
