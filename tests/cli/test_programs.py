import pytest
from transformer_program import PRINTED, PROGRAM


def test_run_prints_what_the_program_prints(opbook, tmp_path):
    program = tmp_path / "attention.qu"
    program.write_text(PROGRAM, encoding="utf-8")
    result = opbook("run", program)
    assert (result.exit_code, result.stdout, result.stderr) == (0, PRINTED, "")


def test_run_shows_no_bare_values(opbook, tmp_path):
    program = tmp_path / "quiet.qu"
    program.write_text("1 + 1\n", encoding="utf-8")
    assert opbook("run", program).stdout == ""


def test_run_reads_standard_input(opbook):
    assert opbook("run", "-", input='print("{2 + 3}")').stdout == "5\n"


def test_a_mistake_in_standard_input_is_placed_there(opbook):
    result = opbook("run", "-", input="x = 1\ny = [1, 2\n")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("<stdin>:2:5: the [ opened here is never closed")


def test_output_before_a_mistake_stays(opbook, tmp_path):
    program = tmp_path / "late.qu"
    program.write_text('print("first")\nnope(1)\n', encoding="utf-8")
    result = opbook("run", program)
    assert (result.exit_code, result.stdout) == (2, "first\n")
    assert result.stderr.startswith(f"{program}:2:1: ")


def test_eval_reads_standard_input(opbook):
    assert opbook("eval", "-", input='print("first")\n2 + 3').stdout == "first\n5\n"
    assert opbook("eval", "-", input="x = [1").stderr.startswith("<stdin>:1:5: ")


@pytest.mark.parametrize("command", ["run", "examples"])
def test_a_file_that_is_not_there(opbook, tmp_path, command):
    result = opbook(command, tmp_path / "nothing.qu")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nothing.qu' does not exist" in result.stderr


def test_a_folder_is_no_program(opbook, tmp_path):
    result = opbook("run", tmp_path)
    assert result.exit_code == 2
    assert "is a directory" in result.stderr


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_bytes_that_are_not_utf_8(opbook, tmp_path, source):
    program = tmp_path / "latin.qu"
    program.write_bytes(b'x = 1\nprint("na\xefve")\n')
    result = opbook("run", program) if source == "file" else opbook("run", "-", input=program.read_bytes())
    name = str(program) if source == "file" else "<stdin>"
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"opbook: {name}:2: byte 0xef is not UTF-8; save the file as UTF-8\n"


def test_a_byte_order_mark_and_windows_lines_are_no_matter(opbook, tmp_path):
    program = tmp_path / "windows.qu"
    program.write_bytes(b'\xef\xbb\xbfx = 2\r\nprint("{x}")\r\n')
    assert opbook("run", program).stdout == "2\n"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1 + 1", "2\n"),
        ("-1 + 3", "2\n"),
        ("-[1, 2]", "[-1, -2]\n"),
        ("x = 3", ""),
        ("x = 3; x'", "3\n"),
        ('print("a")', "a\n"),
        ('"text"', "text\n"),
        ("[1, 2; 3, 4] @ [5, 6]", "[17, 39]\n"),
    ],
)
def test_eval_prints_the_value_of_the_last_expression(opbook, text, printed):
    result = opbook("eval", text)
    assert (result.exit_code, result.stdout, result.stderr) == (0, printed, "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("layer_nrom([1], [1], [1])", "Did you mean layer_norm?"),
        ("layer_norm([1, 2])", "Call it as layer_norm(x, gamma, beta, [eps=])"),
        ("layer_norm([1, 2, 3], [1, 1, 1], [0, 0])", "beta has 2 entries but x has 3"),
        ("[1, 2; 3]", "<text>:1:"),
        ('print("never closed', "<text>:1:7:"),
        ("f(n) = f(n + 1)\nf(0)", "<text>:"),
        ("multi_head_attention([1, 2; 3, 4], ({wq = 1},), 1)", "wk"),
    ],
)
def test_a_mistake_is_a_message_of_a_few_lines_and_exit_code_2(opbook, text, message):
    result = opbook("eval", text)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) <= 6
    assert "Traceback" not in result.stderr


def test_one_file_plugin_in_a_program(opbook, one_file_plugin):
    assert opbook("eval", "--plugin", one_file_plugin, "twice([1, 2])").stdout == "[2, 4]\n"
    assert opbook("run", "--plugin", one_file_plugin, "-", input='print("{twice(4)}")').stdout == "8\n"


def test_repl_keeps_definitions_and_survives_a_mistake(opbook):
    result = opbook("repl", input="x = 20\nnope\nx + 1\n")
    assert result.exit_code == 0
    assert "21" in result.stdout
    assert "nope" in result.stdout.replace("qu> nope", "")
