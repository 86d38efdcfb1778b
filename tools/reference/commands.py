"""The page of the command line, from the commands themselves."""

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, NamedTuple

HEAD = """\
# Command line

<!-- written by make reference from cable_sim/cli -->

`cable-sim COMMAND --help` tells the same in a terminal; `-h` is short for it.
"""
BOLD = re.compile(r"\[bold\](.*?)\[/bold\]", re.DOTALL)
WORDS = {int: "INTEGER", float: "NUMBER"}
"""What stands for a value of a type, where the command has no word for it."""


class Parameter(NamedTuple):
    """An argument or an option of a command: its name, type without ``None``, default, and what
    typer is told."""

    name: str
    type: Any
    default: Any
    info: Any

    @property
    def several(self) -> bool:
        """Whether it can be given several times."""
        return typing.get_origin(self.type) is list

    @property
    def word(self) -> str:
        """What stands for its value."""
        given = self.info.metavar or WORDS.get(self.type, self.name.upper())
        return given.strip("[]")


def page() -> str:
    """The text of the page: what all have in common, then a section for each command."""
    from cable_sim.cli import app

    commands = {command.callback.__name__: command.callback for command in app.registered_commands}
    listed = [
        f"| [`{name}`](#cable-sim-{name}) | {_first_paragraph(function)} |"
        for name, function in commands.items()
    ]
    overview = "\n".join(["| command | |", "| --- | --- |", *listed])
    sections = (_section(name, function) for name, function in commands.items())
    return "\n".join([HEAD, _prose(app.info.help), "", overview, "", *sections])


def _section(name: str, function: Callable[..., Any]) -> str:
    """One command: how it is called, what it does, and what can be said to it."""
    arguments = [one for one in _parameters(function) if type(one.info).__name__ == "ArgumentInfo"]
    options = [one for one in _parameters(function) if type(one.info).__name__ == "OptionInfo"]
    usage = " ".join(
        ["cable-sim", name, *(["[OPTIONS]"] if options else []), *map(_usage, arguments)]
    )
    parts = [f"## cable-sim {name}", f"```text\n{usage}\n```", _prose(function.__doc__ or "")]
    for kind, listed, spelt in (("argument", arguments, _usage), ("option", options, _spelling)):
        if listed:
            lines = [f"| {kind} | default | allowed | |", "| --- | --- | --- | --- |"]
            parts.append("\n".join([*lines, *(_line(spelt(one), one) for one in listed)]))
    return "\n\n".join(parts) + "\n"


def _parameters(function: Callable[..., Any]) -> Iterator[Parameter]:
    """What a command takes; its context is none of it, nor what help hides."""
    hints = typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if typing.get_origin(hints[name]) is not typing.Annotated:
            continue
        annotation, info = typing.get_args(hints[name])
        if info.hidden:
            continue
        types = [one for one in typing.get_args(annotation) if one is not NoneType]
        optional = NoneType in typing.get_args(annotation)
        yield Parameter(name, types[0] if optional else annotation, parameter.default, info)


def _line(spelt: str, one: Parameter) -> str:
    """A line of a table."""
    again = " Can be given several times." if one.several else ""
    spelt = " / ".join(f"`{part}`" for part in spelt.split(" / "))
    return f"| {spelt} | {_default(one)} | {_allowed_values(one)} | {_cell(one.info.help)}{again} |"


def _usage(argument: Parameter) -> str:
    """An argument as it stands behind a command."""
    word = f"{argument.word}..." if argument.several else argument.word
    return word if argument.default is inspect.Parameter.empty else f"[{word}]"


def _spelling(option: Parameter) -> str:
    """How an option is written: ``--port INTEGER``, ``--viewer / --no-viewer``."""
    usual = f"--{option.name.replace('_', '-')}"
    words = (
        option.info.default,
        *(option.info.param_decls or ()),
    )  # the first of them stands where a default may
    given = [word for word in words if isinstance(word, str) and word.startswith("-")]
    if option.type is bool:
        return (
            " / ".join(given[0].split("/"))
            if given
            else f"{usual} / {usual.replace('--', '--no-', 1)}"
        )
    names = sorted(given or [usual], key=lambda word: not word.startswith("--"))
    return " / ".join([f"{names[0]} {option.word}", *names[1:]])


def _default(one: Parameter) -> str:
    """What holds when it is not given."""
    if one.default is inspect.Parameter.empty:
        return "has to be given"
    if one.type is bool:
        words = _spelling(one).split(" / ")
        return f"`{words[0]}`" if one.default else f"`{words[1]}`" if len(words) > 1 else "-"
    return "-" if one.default in (None, "") else f"`{one.default}`"


def _allowed_values(one: Parameter) -> str:
    """The range of a number, or the words that there are."""
    if typing.get_origin(one.type) is typing.Literal:
        return ", ".join(f"`{word}`" for word in typing.get_args(one.type))
    least = one.info.min
    most = one.info.max
    if least is None and most is None:
        return "-"
    return (
        f"{least:g} or more"
        if most is None
        else f"up to {most:g}"
        if least is None
        else f"{least:g} ... {most:g}"
    )


def _first_paragraph(function: Callable[..., Any]) -> str:
    """The first paragraph of what a command does."""
    return _cell(inspect.cleandoc(function.__doc__ or "").partition("\n\n")[0])


def _prose(text: str) -> str:
    """Help texts as Markdown: what is bold there is to be typed."""
    return BOLD.sub(lambda found: f"`{' '.join(found[1].split())}`", inspect.cleandoc(text))


def _cell(text: str) -> str:
    """A text in one line of a table."""
    return " ".join(_prose(text).split()).replace("|", "\\|")
