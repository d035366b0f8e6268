"""`opbook course`: do the exercises of the course in a folder of one's own."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from opbook.errors import InputError
from opbook.examples import Exercise
from opbook.examples.running import named_if_long
from opbook.plugins.catalogue import catalogue
from opbook_course.bounded import SECONDS, Judged, judged
from opbook_course.chapters import Chapter, chapters_of, chosen, exercises_of
from opbook_course.folder import Folder
from opbook_course.rerunning import rerun
from opbook_course.watching import saved

NOT_ALL_RIGHT = 1
FOLDER = Path("course")


@click.command()
@click.argument("names", nargs=-1, metavar="[EXERCISE | CHAPTER]...")
@click.option("--check", "what", flag_value="check", help="Check what is there once, and leave.")
@click.option("--hint", "what", flag_value="hint", help="Show the next hint for one exercise.")
@click.option("--status", "what", flag_value="status", help="Say how far you are; nothing is run.")
@click.option("--json", "as_json", is_flag=True, help="With --check or --status: print JSON instead.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=FOLDER, show_default=True, help="Where your files are."
)
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), default=SECONDS, show_default=True, help="How long one answer may run."
)
@click.pass_context
def course(
    context: click.Context, names: tuple[str, ...], what: str | None, as_json: bool, folder: Path, seconds: float
) -> None:
    """Do the exercises of the course in a folder of your own.

    Begin with `opbook course one-row`. It writes a file for each exercise of that chapter into the folder `course`,
    says which one comes next, and waits. Open that file in your editor, write the function, and save: the answer is
    run at once, and you are told whether it is right, or the shortest input on which it is not. Ctrl-C ends it; the
    next time it goes on from there. Your files are never written over. To see what you print yourself, run the file:
    `python course/CHAPTER/EXERCISE.py`.

    Without a name, all chapters. A chapter may be called by its number as well: `opbook course 0`. --check has the
    exit code 0 if all of them are right, 1 if not, and 2 if something else is wrong, such as an unknown name.

    `opbook course rerun 8` trains the model of chapter 8 again, and compares it with the stored one. Ctrl-C keeps what
    was reached.

    \b
    Examples:
        opbook course one-row
        opbook course --hint center_rows
        opbook course --status
        opbook course --check one-row --json
    """
    if names[:1] == ("rerun",):
        context.exit(0 if rerun(names[1:], folder) else NOT_ALL_RIGHT)
    if as_json and what not in ("check", "status"):
        raise click.UsageError("--json goes with --check or --status")
    loaded = catalogue()
    loaded.load_samples()  # here, so that no answer has to wait for it
    chapters = chosen(chapters_of(loaded), names)
    if not chapters:
        raise InputError("no plugin brings along a chapter with exercises; opbook plugins lists the plugins")
    if what is None:
        _watch(chapters, Folder.begun(folder), seconds)
        return
    opened = Folder.opened(folder)
    if what == "hint":
        _hint(chapters, opened, names)
    elif what == "status":
        _say_status(chapters, opened, as_json)
    else:
        found = _check(chapters, opened, seconds)
        _say_checked(found, opened, as_json)
        context.exit(0 if all(entry["status"] == "right" for entry in found) else NOT_ALL_RIGHT)


def _watch(chapters: Sequence[Chapter], folder: Folder, seconds: float) -> None:
    """Write what is missing, then judge each file that is saved, until Ctrl-C."""
    written = folder.add(chapters)
    if written:
        kept = "" if len(written) == len(list(exercises_of(chapters))) else " Those that were there are as they were."
        click.echo(f"New files in {folder.path}: {len(written)}.{kept}")
    pairs = {folder.file_of(chapter, one): (chapter, one) for chapter in chapters for one in chapter.exercises}
    files = saved(pairs)
    _say_next(chapters, folder)
    click.echo("Save a file, and its answer is checked. Ctrl-C ends this.")
    try:
        for file in files:
            chapter, exercise = pairs[file]
            click.echo()
            with named_if_long(exercise.name):
                entry = _entry(chapter, exercise, folder, seconds)
            _say(entry, folder)
            if entry["status"] == "to do":
                click.echo("  The function stands there as it was handed out: write your own in its place.")
            if entry["status"] == "right":
                _say_next(chapters, folder)
    except KeyboardInterrupt:
        click.echo(f"\n{_summary(chapters, folder)} opbook course goes on from here.")


def _check(chapters: Sequence[Chapter], folder: Folder, seconds: float) -> list[dict[str, Any]]:
    return [_entry(chapter, one, folder, seconds) for chapter in chapters for one in chapter.exercises]


def _entry(chapter: Chapter, exercise: Exercise, folder: Folder, seconds: float) -> dict[str, Any]:
    """Judge one answer, and keep what came of it."""
    status = _untouched(chapter, exercise, folder)
    found = None if status else judged(exercise, folder.file_of(chapter, exercise), seconds)
    folder.reload()  # a hint may have been asked for in another terminal
    record = folder.record(exercise.name)
    if found:
        status = "right" if found.verdict.passed else "wrong"
        record.tries += 1
    record.passed = status == "right"
    folder.save()
    return _described(chapter, exercise, folder, status, found)


def _untouched(chapter: Chapter, exercise: Exercise, folder: Folder) -> str:
    """Why there is nothing to judge: there is no file, or nobody has written anything into it; "" if there is."""
    file = folder.file_of(chapter, exercise)
    if not file.is_file():
        return "missing"
    text = file.read_text("utf-8", errors="replace")
    return "to do" if exercise.stub.code.strip() in text else ""


def _described(
    chapter: Chapter, exercise: Exercise, folder: Folder, status: str, found: Judged | None = None
) -> dict[str, Any]:
    """What there is to know about an exercise, as `--json` prints it."""
    record = folder.records.get(exercise.name)
    return {
        "exercise": exercise.name,
        "chapter": chapter.name,
        "file": str(folder.file_of(chapter, exercise)),
        "status": status,
        "tries": record.tries if record else 0,
        "hints": record.hints if record else 0,
        "message": found.verdict.message if found else "",
        "call": found.verdict.call if found else "",
        "mistakes": list(found.mistakes) if found else [],
    }


def _say(entry: dict[str, Any], folder: Folder) -> None:
    """Say what came of one answer."""
    click.echo(f"{entry['exercise']}: {entry['status']}   {entry['file']}")
    if entry["message"]:
        click.echo(f"  {entry['message']}".replace("\n", "\n  "))
    if entry["call"]:
        click.echo(f"  on {entry['call']}")
    for i, mistake in enumerate(entry["mistakes"]):
        click.echo(f"  {'Or' if i else 'A usual cause'}: {mistake}.")
    if entry["status"] == "wrong":
        click.echo(f"  A hint: opbook course --hint {entry['exercise']}{_folder_option(folder)}")


def _folder_option(folder: Folder) -> str:
    return "" if folder.path == FOLDER else f" --folder {shlex.quote(str(folder.path))}"


def _say_checked(found: list[dict[str, Any]], folder: Folder, as_json: bool) -> None:
    right = sum(entry["status"] == "right" for entry in found)
    if as_json:
        click.echo(
            json.dumps({"folder": str(folder.path), "right": right, "of": len(found), "exercises": found}, indent=2)
        )
        return
    for entry in found:
        _say(entry, folder)
    click.echo(f"{right} of {len(found)} exercises right.")


def _say_status(chapters: Sequence[Chapter], folder: Folder, as_json: bool) -> None:
    entries = [
        _described(chapter, one, folder, _kept_status(chapter, one, folder))
        for chapter in chapters
        for one in chapter.exercises
    ]
    if as_json:
        _say_checked(entries, folder, as_json)
        return
    for chapter in chapters:
        click.echo(f"{chapter.title} ({chapter.name})")
        _say_chapter([entry for entry in entries if entry["chapter"] == chapter.name])
    click.echo(_summary(chapters, folder))


def _say_chapter(entries: Sequence[dict[str, Any]]) -> None:
    if all(entry["status"] == "missing" for entry in entries):
        click.echo(f"  {len(entries)} exercise{'s' if len(entries) != 1 else ''}, not begun")
        return
    for entry in entries:
        tries = f"{entry['tries']} tries" if entry["tries"] != 1 else "1 try"
        click.echo(f"  {entry['status']:8} {entry['exercise']:24} {tries if entry['tries'] else ''}".rstrip())


def _kept_status(chapter: Chapter, exercise: Exercise, folder: Folder) -> str:
    """What was found when it was last checked."""
    record = folder.records.get(exercise.name)
    if record and record.passed:
        return "right"
    return _untouched(chapter, exercise, folder) or ("wrong" if record and record.tries else "to check")


def _hint(chapters: Sequence[Chapter], folder: Folder, names: Sequence[str]) -> None:
    found = [(chapter, one) for chapter in chapters for one in chapter.exercises if one.name in names]
    if len(found) != 1 or len(names) != 1:
        following = _following(chapters, folder)
        example = following[1].name if following else chapters[0].exercises[0].name
        raise InputError(f"a hint is for one exercise: opbook course --hint {example}{_folder_option(folder)}")
    exercise = found[0][1]
    record = folder.record(exercise.name)
    if not exercise.hints:
        click.echo(f"{exercise.name} has no hints.")
        return
    record.hints = min(record.hints + 1, len(exercise.hints))
    folder.save()
    click.echo(f"Hint {record.hints} of {len(exercise.hints)}\n\n{exercise.hints[record.hints - 1].rstrip()}")


def _following(chapters: Sequence[Chapter], folder: Folder) -> tuple[Chapter, Exercise] | None:
    """The first exercise that is not right yet."""
    pairs = ((chapter, one) for chapter in chapters for one in chapter.exercises)
    return next((pair for pair in pairs if not folder.record(pair[1].name).passed), None)


def _say_next(chapters: Sequence[Chapter], folder: Folder) -> None:
    following = _following(chapters, folder)
    if following is None:
        click.echo(_summary(chapters, folder))
    else:
        click.echo(f"Next: {following[1].name} in {folder.file_of(*following)}")


def _summary(chapters: Sequence[Chapter], folder: Folder) -> str:
    names = [one.name for chapter in chapters for one in chapter.exercises]
    right = sum(folder.record(name).passed for name in names)
    return f"{right} of {len(names)} exercises right."
