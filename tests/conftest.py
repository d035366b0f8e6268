import signal

import pytest
from hypothesis import settings

from opbook.plugins import catalogue

# No timing is asserted (a busy machine proves nothing), and every run draws the same inputs.
settings.register_profile("opbook", deadline=None, derandomize=True)
settings.load_profile("opbook")

# A run under nohup or in the background ignores these, and so would every process that a test starts and interrupts. A
# handler that does nothing is not inherited.
for number in (signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


@pytest.fixture(scope="session", autouse=True)
def process_catalogue():
    """What is installed here, loaded before any test pretends that something else is."""
    return catalogue.catalogue()


@pytest.fixture
def own_process(process_catalogue, monkeypatch):
    """Has a test be a process of its own as far as the catalogue goes, with the rules that it puts in force."""
    monkeypatch.setattr(catalogue, "_default", None)
    yield
    process_catalogue.put_in_force()
