import json
import shlex


def test_a_distribution(opbook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = opbook("new", "Soft-Clip")
    assert done.exit_code == 0, done.stderr
    assert "Made opbook-soft-clip with 10 files." in done.stdout
    assert "  opbook_soft_clip/examples.md\n" in done.stdout
    _, _, after = done.stdout.partition("Next:\n")
    assert after.splitlines()[:3] == [
        "  cd opbook-soft-clip",
        '  python -m pip install -e ".[dev]"',
        "  pytest",
    ]
    again = opbook("new", "soft_clip")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr.startswith("opbook: opbook-soft-clip is there already, a folder with .github, .gitignore")


def test_the_commands_that_one_file_suggests_work_as_they_are(opbook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = opbook("new", "soft-clip", "--one-file")
    assert done.exit_code == 0, done.stderr
    commands = [shlex.split(line) for line in done.stdout.splitlines() if line.startswith("  opbook ")]
    assert len(commands) == 3
    results = []
    for command in commands:
        monkeypatch.setattr("opbook.plugins.catalogue._default", None)  # each is a process of its own
        results.append(opbook(*command[1:]))
    shown, evaluated, verified = results
    assert "Bends x smoothly" in shown.stdout
    assert evaluated.stdout == "[-0.995037, 0, 0.995037]\n"
    assert verified.exit_code == 0, verified.stdout
    assert "0 failed" in verified.stdout


def test_json_and_another_folder(opbook, tmp_path):
    done = opbook("new", "soft-clip", "--into", tmp_path, "--json")
    found = json.loads(done.stdout)
    assert found["name"] == "soft_clip"
    assert found["path"] == str(tmp_path / "opbook-soft-clip")
    assert "pyproject.toml" in found["files"]
    assert len(found["next"]) == 3


def test_a_name_that_can_not_be_and_a_folder_that_is_not_there(opbook, tmp_path):
    done = opbook("new", "print", "--into", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    done = opbook("new", "soft-clip", "--into", tmp_path / "nowhere")
    assert (done.exit_code, done.stdout) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_the_op_of_a_file_can_become_a_distributions(opbook, tmp_path, one_file_plugin):
    done = opbook("new", "twice", "--into", tmp_path, "--plugin", one_file_plugin)
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "opbook-twice").is_dir()
