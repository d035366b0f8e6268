"""The commands themselves; what they build is tested in tests/site."""

import subprocess
import sys
import types

import pytest


class SiteError(Exception):
    pass


@pytest.fixture
def adapter(monkeypatch, tmp_path):
    """A stand-in for what drives MkDocs, which notes down its calls, in a folder that has a mkdocs.yml."""
    calls = []
    module = types.SimpleNamespace(
        SiteError=SiteError,
        build=lambda *args: calls.append(("build", *args)) or tmp_path / "site",
        serve=lambda *args: calls.append(("serve", *args)),
        calls=calls,
    )
    monkeypatch.setattr("opbook.cli.site._adapter", lambda: module)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    return module


def test_build_is_strict_unless_told_otherwise(opbook, adapter, tmp_path):
    result = opbook("site", "build")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"Built {tmp_path / 'site'} in ")
    opbook("site", "build", "--no-strict", "--site-dir", "elsewhere")
    assert adapter.calls == [("build", "mkdocs.yml", None, True), ("build", "mkdocs.yml", "elsewhere", False)]


def test_serve_passes_the_port_on(opbook, adapter):
    assert opbook("site", "serve", "--port", "8123").exit_code == 0
    assert adapter.calls == [("serve", "mkdocs.yml", "127.0.0.1:8123")]


def test_a_build_that_fails_exits_1(opbook, adapter):
    def fail(*_):
        raise SiteError("an example failed")

    adapter.build = fail
    result = opbook("site", "build")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "opbook: an example failed\n")


def test_a_folder_without_a_site_exits_2(opbook, adapter, tmp_path):
    (tmp_path / "mkdocs.yml").unlink()
    result = opbook("site", "build")
    assert result.exit_code == 2
    assert "there is no file mkdocs.yml here" in result.stderr


def test_one_file_plugins_reach_the_processes_that_build(opbook, adapter, one_file_plugin):
    import os

    adapter.build = lambda *_: adapter.calls.append(os.environ["OPBOOK_PLUGINS"])
    opbook("site", "build", "--plugin", one_file_plugin)
    assert adapter.calls == [str(one_file_plugin)]


def test_without_mkdocs_it_says_what_to_install_and_the_rest_works(tmp_path):
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    code = "import sys; sys.modules['mkdocs'] = None; from opbook.__main__ import main; main()"

    def run(*arguments):
        return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path)

    built = run("site", "build")
    assert (built.returncode, built.stdout) == (2, "")
    assert 'pip install "opbook[site]"' in built.stderr
    assert "Traceback" not in built.stderr
    assert run("eval", "1 + 1").stdout == "2\n"
