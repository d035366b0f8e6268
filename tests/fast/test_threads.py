"""Work shared among threads: the same results as without them, and BLAS as it was before."""

import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
import threadpoolctl
from opbook_fast import blas
from opbook_fast.threads import PARTS, cuts, product, share


def blas_threads():
    return {library.threads for library in blas.libraries()}


@pytest.fixture(autouse=True)
def two_threads():
    """BLAS with two threads, whatever machine this is."""
    if not blas.libraries():
        pytest.skip("this NumPy's BLAS can't be held, so nothing is shared")
    before = [library.threads for library in blas.libraries()]
    for library in blas.libraries():
        library.set_threads(2)
    yield
    for library, number in zip(blas.libraries(), before, strict=True):
        library.set_threads(number)


def together(*functions):
    """Run functions in threads of their own, and return what each returned."""
    found = {}
    threads = [
        threading.Thread(target=lambda i=i, f=function: found.update({i: f()})) for i, function in enumerate(functions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[i] for i in range(len(functions))]


def test_results_come_in_the_order_of_the_items():
    assert share(lambda n: n * n, range(7)) == [0, 1, 4, 9, 16, 25, 36]
    assert share(lambda n: n, []) == []


def test_two_items_are_worked_on_at_once():
    meeting = threading.Barrier(2, timeout=30)  # nobody passes it alone
    share(lambda _: meeting.wait(), [0, 1])


def test_the_callers_context_holds_in_every_thread():
    meeting = threading.Barrier(2, timeout=30)

    def divide(_):
        meeting.wait()
        return np.ones(3) / 0

    with np.errstate(divide="ignore"):
        assert np.isinf(share(divide, [0, 1])).all()


def test_sharing_within_what_is_shared():
    assert share(lambda n: sum(share(lambda m: n * m, [1, 2, 3])), [1, 10]) == [6, 60]


def test_many_threads_share_at_once():
    calls = [lambda n=n: share(lambda m: n * m, [1, 2, 3]) for n in range(8)]
    assert together(*calls) == [[n, 2 * n, 3 * n] for n in range(8)]


def test_an_error_is_that_of_the_first_item_that_failed():
    meeting = threading.Barrier(2, timeout=30)

    def fail(n):
        meeting.wait()
        raise ValueError(f"item {n}")

    with pytest.raises(ValueError, match="item 0"):
        share(fail, [0, 1])
    assert share(lambda n: -n, [1, 2, 3]) == [-1, -2, -3]


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_is_raised_when_nobody_works_any_more(failing):
    meeting, failed, finished = threading.Barrier(2, timeout=30), threading.Event(), []

    def work(n):
        meeting.wait()
        if n == failing:
            failed.set()
            raise ValueError("broken")
        failed.wait()
        finished.append(np.linalg.svd(np.ones((150, 150))))  # long enough to be seen if nobody waits for it

    with pytest.raises(ValueError, match="broken"):
        share(work, [0, 1])
    assert len(finished) == 1


def test_nothing_is_begun_after_an_error():
    begun = []

    def fail(n):
        begun.append(n)
        raise ValueError(f"item {n}")

    with pytest.raises(ValueError, match="item 0"):
        share(fail, range(1000))
    assert len(begun) <= 2


def test_blas_has_one_thread_meanwhile_and_as_many_as_before_afterwards():
    with blas.one_thread:
        assert blas_threads() == {1}
        with blas.one_thread:
            assert blas.one_thread.threads() == 2
        assert blas_threads() == {1}
    assert blas_threads() == {2}


def test_every_thread_can_hold_blas():
    for library in threadpoolctl.ThreadpoolController().lib_controllers:
        library.set_num_threads(2)  # from now on threadpoolctl lets no other thread set it

    def held():
        with blas.one_thread:
            return blas_threads()

    assert together(held) == [{1}]
    assert blas_threads() == {2}


def test_a_number_that_somebody_asked_for_meanwhile_is_kept():
    with blas.one_thread:
        for library in blas.libraries():
            library.set_threads(3)
    assert blas_threads() == {3}


def test_a_library_whose_number_belongs_to_each_thread_is_left_alone(monkeypatch):
    own = SimpleNamespace(threading_layer="openmp")
    fake = SimpleNamespace(select=lambda user_api: SimpleNamespace(lib_controllers=[own]))
    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", lambda: fake)
    assert blas.libraries.__wrapped__() == ()


def test_without_a_library_to_hold_nothing_is_shared(monkeypatch):
    monkeypatch.setattr(blas, "libraries", lambda: ())
    me = threading.current_thread()
    assert blas.one_thread.threads() == 1
    assert share(lambda _: threading.current_thread(), [0, 1]) == [me, me]


@pytest.mark.parametrize(("m", "k", "n"), [(301, 120, 130), (130, 120, 301), (1, 2**22, 1), (3, 4, 5), (0, 4, 5)])
def test_a_product_in_parts_is_the_product(m, k, n):
    a, b = np.random.default_rng(0).normal(size=(m, k)), np.random.default_rng(1).normal(size=(n, k)).T
    np.testing.assert_allclose(product(a, b), a @ b, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_product_has_the_same_bits_for_every_number_of_threads(dtype):
    a, b = np.random.default_rng(0).normal(size=(2, 613, 613)).astype(dtype)
    found = []
    for number in (1, 2, 3):
        for library in blas.libraries():
            library.set_threads(number)
        found.append(product(a, b).tobytes())
    assert found[1:] == found[:1] * 2


@pytest.mark.parametrize(("length", "parts"), [(7, 2), (1, 2), (2, 3), (10, 4), (0, 2), (5, 0), (1000, 1000)])
def test_cuts_cover_an_axis_once(length, parts):
    found = cuts(length, parts)
    assert [i for cut in found for i in range(cut.start, cut.stop)] == list(range(length))
    assert len(found) <= min(max(parts, 1), PARTS)
    assert all(cut.start < cut.stop for cut in found)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Python 3.12, about forking with threads
class TestFork:
    def test_a_forked_process_has_threads_of_its_own(self):
        share(lambda n: n, [1, 2])
        meeting = threading.Barrier(2, timeout=30)

        def works():
            return sorted(share(lambda _: meeting.wait(), [1, 2])) == [0, 1]

        assert self.in_child(works)

    def test_a_process_forked_while_blas_is_held_has_all_threads(self):
        with blas.one_thread:
            assert self.in_child(lambda: blas_threads() == {2})
        assert blas_threads() == {2}

    def test_a_process_may_let_go_of_what_its_parent_held(self):
        def works():
            blas.one_thread.__exit__(None, None, None)
            with blas.one_thread:
                held = blas_threads()
            return (held, blas_threads()) == ({1}, {2})

        with blas.one_thread:
            assert self.in_child(works)

    def in_child(self, function):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if function() else 2
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("before", ["", "work()"])
def test_there_is_an_answer_while_the_interpreter_shuts_down(before):
    code = f"""
import atexit
def work():
    import numpy as np
    from opbook.ops import layer_norm
    from opbook_fast.threads import share
    print(share(lambda n: 2 * n, [1, 2, 3]), layer_norm(np.ones((400, 1000)), np.ones(1000), np.ones(1000)).sum())
{before}
atexit.register(work)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout == "[2, 4, 6] 400000.0\n" * (2 if before == "work()" else 1)
