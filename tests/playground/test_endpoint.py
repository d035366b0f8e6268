"""Engine one: what its server lets in, and what the process that runs programs can't be made to do."""

import http.client
import json
import threading
import wsgiref.simple_server
from collections.abc import Iterator
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any

import pytest
from site_projects import nothing_installed

from opbook.playground.endpoint import LARGEST, PATH, Endpoint
from opbook.playground.process import Worker

PLUGIN = '''
"""Ops that try what they must not."""

import os
import socket
import subprocess
import threading
from pathlib import Path

import numpy as np

from opbook import Array, builtin, hookimpl

HERE = Path(__file__)


def op(function):
    return builtin(category="Trouble")(function)


# Python's own.
@op
def say(value: str) -> None:
    """Prints a value.

    Args:
        value: The text.
    """
    print(value)


# A file that a reader must not see.
@op
def peek() -> None:
    """Reads a file."""
    say(HERE.with_name("secret.txt").read_text())


# What is where.
@op
def look() -> None:
    """Lists a folder."""
    say(" ".join(os.listdir(HERE.parent)))


# A file that nobody wants.
@op
def scribble() -> None:
    """Writes a file."""
    HERE.with_name("scribbled.txt").write_text("!")


# A file that is gone.
@op
def erase() -> None:
    """Deletes a file."""
    HERE.with_name("secret.txt").unlink()


# Another program.
@op
def shell() -> None:
    """Starts a process."""
    subprocess.run(["true"])


# Another computer.
@op
def call_home() -> None:
    """Opens a connection."""
    socket.create_connection(("127.0.0.1", 9))


# It waits for what never comes, and the clock of the notation can't interrupt it.
@op
def hang() -> None:
    """Waits without end."""
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    threading.Event().wait()


# More than there is.
@op
def swell() -> None:
    """Takes 64 GB."""
    np.ones(8_000_000_000)


# It is over at once.
@op
def vanish() -> None:
    """Ends the process."""
    os._exit(3)


@hookimpl
def opbook_builtins():
    return [say, peek, look, scribble, erase, shell, call_home, hang, swell, vanish]
'''


class Server(ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


class Client:
    """A browser, or whoever pretends to be one."""

    def __init__(self, port: int, endpoint: Endpoint, worker: Worker, folder: Path) -> None:
        self.port = port
        self.endpoint = endpoint
        self.worker = worker
        self.folder = folder

    def send(self, body: Any, method: str = "POST", **changed: str | None) -> tuple[int, str]:
        """Send a message with the headers that a page's would have, but for those that are changed or left out."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        host = f"127.0.0.1:{self.port}"
        headers: dict[str, str | None] = {
            "Host": host,
            "Origin": f"http://{host}",
            "X-Opbook-Token": self.endpoint.token,
        }
        headers |= {"Content-Length": str(len(content))}
        headers |= {name.replace("_", "-"): value for name, value in changed.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, PATH, skip_host=True)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(content)
        response = connection.getresponse()
        return response.status, response.read().decode()

    def run(self, code: str) -> Any:
        status, text = self.send({"do": "run", "id": "1", "language": "qu", "code": code})
        assert status == 200, text
        return json.loads(text)

    def error(self, code: str) -> str:
        message: str = self.run(code)["error"]["message"]
        return message


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("trouble")
    (folder / "trouble.py").write_text(PLUGIN, encoding="utf-8")
    (folder / "secret.txt").write_text("the secret", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in nothing_installed().items():
            patch.setenv(name, value)
        worker = Worker(folder, [str(folder / "trouble.py")])
    with wsgiref.simple_server.make_server("127.0.0.1", 0, None, Server, Quiet) as server:  # type: ignore[arg-type]
        endpoint = Endpoint(server.server_port, worker)
        server.set_app(endpoint)
        thread = threading.Thread(target=server.serve_forever, args=[0.05], daemon=True)
        thread.start()
        yield Client(server.server_port, endpoint, worker, folder)
        server.shutdown()
    worker.close()


HELLO = {"do": "run", "id": "1", "language": "qu", "code": 'say("hello")'}


def test_a_page_has_a_program_run(client: Client) -> None:
    status, text = client.send(HELLO)
    assert status == 200
    assert json.loads(text)["printed"] == "hello\n"
    assert client.send(HELLO, Host=f"localhost:{client.port}", Origin=f"http://localhost:{client.port}")[0] == 200


@pytest.mark.parametrize(
    ("changed", "status", "reason"),
    [
        ({"Host": "rebound.example"}, 403, "this server is not called rebound.example"),
        ({"Host": "rebound.example", "Origin": "http://rebound.example"}, 403, "not called"),
        ({"Host": None}, 403, "this server is not called None"),
        ({"Origin": "https://elsewhere.example"}, 403, "not from https://elsewhere.example"),
        ({"Origin": "null"}, 403, "not from null"),
        ({"Origin": None}, 403, "not from None"),
        ({"X_Opbook_Token": None}, 403, "the token is not that of a page"),
        ({"X_Opbook_Token": "guessed"}, 403, "the token is not that of a page"),
        ({"X_Opbook_Token": "\xe9"}, 403, "the token is not that of a page"),
        ({"method": "GET"}, 405, "with POST"),
        ({"method": "OPTIONS"}, 405, "with POST"),
        ({"Content_Length": None}, 411, "how long"),
        ({"Content_Length": "-1"}, 411, "how long"),
        ({"Content_Length": "9" * 5000}, 411, "how long"),
    ],
)
def test_nobody_else_has_one_run(client: Client, changed: dict[str, Any], status: int, reason: str) -> None:
    got, text = client.send(HELLO, **changed)
    assert got == status
    assert reason in text
    assert "hello" not in text


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        (b"x" * (LARGEST + 1), 413, f"{LARGEST + 1:,} bytes; the limit is {LARGEST:,}"),
        (b"{", 400, "not JSON"),
        (b"[" * 90_000, 400, "not JSON"),
        ([], 400, "a message is an object"),
        (HELLO | {"language": "python"}, 400, "the notation qu only"),
        ({"do": "compare", "builtin": "say", "code": "import os"}, 400, "the notation qu only"),
    ],
)
def test_what_is_sent_is_a_program_of_the_notation(client: Client, body: Any, status: int, reason: str) -> None:
    got, text = client.send(body)
    assert got == status
    assert reason in text


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("f(n) = f(n + 1)\nf(1)", "1,000 calls are open"),
        ("f(n) = if n > 0 then f(n - 1) + f(n - 1) else 1\nf(60)", "the program was stopped here, after"),
        ("swell()", "Unable to allocate"),
        ('t = "0123456789"\nu = "{t}{t}{t}{t}{t}{t}{t}{t}{t}{t}"\nv = "{u}{u}{u}{u}{u}{u}{u}{u}{u}{u}"\n'
         "f(n) = if n > 0 then (say(v),) else (1,)\n" + "say(v)\n" * 120, "after 100,000 characters of text"),
        ("vanish()", "the process that ran the program ended"),
    ],
)  # fmt: skip
def test_a_program_ends_and_the_next_one_runs(client: Client, code: str, reason: str) -> None:
    assert reason in client.error(code)
    assert client.run('say("still here")')["printed"] == "still here\n"


def test_a_builtin_that_does_not_end_is_ended(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.run('say("ready")')
    with monkeypatch.context() as patch:
        patch.setattr(client.worker, "seconds", 0.2)
        assert client.error("hang()") == "the program was ended after 0.2 seconds"
    assert client.run('say("still here")')["printed"] == "still here\n"


@pytest.mark.parametrize("name", ["open", "import", "eval", "__import__", "os"])
def test_the_notation_has_no_way_to_python(client: Client, name: str) -> None:
    assert client.run(f'{name}("secret.txt")')["error"] is not None


@pytest.mark.parametrize("name", ["peek", "look", "scribble", "erase", "shell", "call_home"])
def test_not_even_a_builtin_opens_files_or_anything_else(client: Client, name: str) -> None:
    answer = client.run(f"{name}()")
    assert "PermissionError: examples can't" in answer["error"]["message"]
    assert "the secret" not in json.dumps(answer)
    assert answer["printed"] == ""
    assert sorted(path.name for path in client.folder.iterdir()) == ["secret.txt", "trouble.py"]


def test_a_program_is_stopped_from_the_page(client: Client) -> None:
    answers = []
    thread = threading.Thread(target=lambda: answers.append(client.run("hang()")))
    thread.start()
    while thread.is_alive():  # it may not have begun yet when the first one comes
        assert client.send({"do": "stop", "id": "1"})[0] == 200
        thread.join(0.05)
    assert answers[0]["error"]["message"] == "the program was stopped"
    assert client.run('say("next")')["printed"] == "next\n"


WEIGHTS = """
x = [1, 0.5; -0.5, 1; 0.2, -0.3]
head = {wq = eye(2), wk = eye(2), wv = eye(2), wo = eye(2)}
weights = {heads = (head,), ln1_gamma = ones(2), ln1_beta = zeros(2), w1 = eye(2), b1 = zeros(2),
           w2 = eye(2), b2 = zeros(2), ln2_gamma = ones(2), ln2_beta = zeros(2)}
"""


@pytest.mark.parametrize(
    "call",
    [
        "layer_norm(x, ones(2), zeros(2))",
        "linear(x, eye(2), zeros(2))",
        "scaled_dot_product_attention(x, x, x)",
        "multi_head_attention(x, (head,), 1)",
        "transformer_block(x, weights)",
    ],
)
def test_a_confined_process_runs_what_has_accelerators(tmp_path: Path, call: str) -> None:
    """They ask the system something at their first call, such as which BLAS there is."""
    worker = Worker(tmp_path)
    answer = worker.ask({"do": "run", "id": "1", "language": "qu", "code": f"{WEIGHTS}f(x) = sum({call})\ngrad(f)(x)"})
    worker.close()
    assert answer["error"] is None
    assert answer["value"]
