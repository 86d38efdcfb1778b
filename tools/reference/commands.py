"""The page of the command line, from the commands themselves."""

import inspect
import re
import typing
from collections import Counter
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, NamedTuple

HEAD = """\
# Command line

<!-- written by make reference from cable_sim/cli -->

`cable-sim COMMAND --help` prints the same in a terminal; `-h` is short for it.
"""
SHARED = """\
## Shared options

Options that mean the same in several commands:
"""
BOLD = re.compile(r"\[bold\](.*?)\[/bold\]", re.DOTALL)
WORDS = {int: "INTEGER", float: "NUMBER"}
"""What stands for a value of a type, where the command has no word for it."""


Cells = tuple[str, str, str, str]
"""An option as it stands in a table: spelling, default, allowed values, meaning."""


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
    options = {name: _of_kind("OptionInfo", function) for name, function in commands.items()}
    counts = Counter(_cells(one) for listed in options.values() for one in listed)
    shared = {cells for cells, count in counts.items() if count > 1}
    links = ", ".join(f"[`{name}`](#cable-sim-{name})" for name in commands)
    sections = (
        _section(name, function, options[name], shared) for name, function in commands.items()
    )
    common = _table([cells for cells in counts if cells in shared])
    parts = [HEAD, _prose(app.info.help), "", f"Commands: {links}.", "", SHARED, common, ""]
    return "\n".join([*parts, *sections])


def _of_kind(kind: str, function: Callable[..., Any]) -> list[Parameter]:
    """Return the arguments, or the options, of a command."""
    return [one for one in _parameters(function) if type(one.info).__name__ == kind]


def _section(
    name: str, function: Callable[..., Any], options: list[Parameter], shared: set[Cells]
) -> str:
    """One command: how it is called, what it does, and what can be said to it."""
    arguments = _of_kind("ArgumentInfo", function)
    usage = " ".join(
        ["cable-sim", name, *(["[OPTIONS]"] if options else []), *map(_usage, arguments)]
    )
    parts = [f"## cable-sim {name}", f"`{usage}`", _prose(function.__doc__ or "")]
    if arguments:
        parts.append("\n".join(map(_item, arguments)))
    own = [_cells(one) for one in options if _cells(one) not in shared]
    if own:
        parts.append(_table(own))
    words = [f"`{_spelling(one).split()[0]}`" for one in options if _cells(one) in shared]
    if words:
        parts.append(f"[Shared](#shared-options): {', '.join(words)}.")
    return "\n\n".join(parts) + "\n"


def _item(argument: Parameter) -> str:
    """Return a line of the list of arguments."""
    default = f", default {_default(argument)}" if _default(argument) else ""
    return f"* `{_usage(argument)}`{default}: {_cell(argument.info.help)}"


def _table(rows: list[Cells]) -> str:
    """Return options as a table, without the columns that none of them fills."""
    head = ("option", "default", "allowed", "")
    kept = [
        i
        for i in range(len(head))
        if head[i] not in ("default", "allowed") or any(row[i] for row in rows)
    ]
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line[i] for i in kept)} |" for line in lines)


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


def _cells(one: Parameter) -> Cells:
    """Return the cells of an option's line in a table."""
    again = " Repeatable." if one.several else ""
    spelt = " / ".join(f"`{part}`" for part in _spelling(one).split(" / "))
    return spelt, _default(one), _allowed_values(one), f"{_cell(one.info.help)}{again}"


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
    """Return the value that holds when none is given; empty without one."""
    if one.default is inspect.Parameter.empty:
        return ""
    if one.type is bool:
        words = _spelling(one).split(" / ")
        return f"`{words[0]}`" if one.default else f"`{words[1]}`" if len(words) > 1 else ""
    return "" if one.default in (None, "") else f"`{one.default}`"


def _allowed_values(one: Parameter) -> str:
    """Return the range of a number, or the words that there are; empty without either."""
    if typing.get_origin(one.type) is typing.Literal:
        return ", ".join(f"`{word}`" for word in typing.get_args(one.type))
    least = one.info.min
    most = one.info.max
    if least is None and most is None:
        return ""
    return (
        f"{least:g} or more"
        if most is None
        else f"up to {most:g}"
        if least is None
        else f"{least:g} ... {most:g}"
    )


def _prose(text: str) -> str:
    """Help texts as Markdown: what is bold there is to be typed."""
    return BOLD.sub(lambda found: f"`{' '.join(found[1].split())}`", inspect.cleandoc(text))


def _cell(text: str) -> str:
    """A text in one line of a table."""
    return " ".join(_prose(text).split()).replace("|", "\\|")
