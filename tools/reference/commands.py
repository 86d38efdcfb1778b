"""The page of the command line, from the commands themselves."""

import inspect
import re
from collections.abc import Iterable
from typing import Any

HEAD = """\
# Command line

<!-- written by make reference from cable_sim/cli -->

`cable-sim COMMAND --help` tells the same in a terminal; `-h` is short for it.
"""
BOLD = re.compile(r"\[bold\](.*?)\[/bold\]", re.DOTALL)


def page() -> str:
    """The text of the page: what all have in common, then a section for each command."""
    from typer.main import get_command

    from cable_sim.cli import app

    group: Any = get_command(app)
    found = group.commands
    listed = [f"| [`{name}`](#cable-sim-{name}) | {_first(found[name])} |" for name in found]
    overview = "\n".join(["| command | |", "| --- | --- |", *listed])
    return "\n".join([HEAD, _prose(group.help), "", overview, "", *(_section(found[name]) for name in found)])


def _section(command: Any) -> str:
    """One command: how it is called, what it does, and what can be said to it."""
    shown = [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]
    arguments = [parameter for parameter in shown if parameter.param_type_name == "argument"]
    options = [parameter for parameter in shown if parameter.param_type_name == "option" and parameter.name != "help"]
    words = [_metavar(argument, required=argument.required) for argument in arguments]
    usage = " ".join(["cable-sim", command.name, *(["[OPTIONS]"] if options else []), *words])
    parts = [f"## cable-sim {command.name}", f"```text\n{usage}\n```", _prose(command.help)]
    if arguments:
        parts.append(_table("argument", ((f"`{_metavar(one)}`", one) for one in arguments)))
    if options:
        parts.append(_table("option", ((_spelt(one), one) for one in options)))
    return "\n\n".join(parts) + "\n"


def _table(kind: str, named: Iterable[tuple[str, Any]]) -> str:
    """Arguments or options with their defaults and what is allowed."""
    lines = [f"| {kind} | default | allowed | |", "| --- | --- | --- | --- |"]
    for name, one in named:
        again = " Can be given several times." if one.multiple else ""
        lines.append(f"| {name} | {_default(one)} | {_allowed(one)} | {_cell(one.help or '')}{again} |")
    return "\n".join(lines)


def _spelt(option: Any) -> str:
    """How an option is written: `--port INTEGER`, `--viewer / --no-viewer`."""
    if option.is_flag:
        return " / ".join(f"`{word}`" for word in (*option.opts, *option.secondary_opts))
    return f"`{option.opts[-1]} {_metavar(option)}`"


def _metavar(one: Any, required: bool = True) -> str:
    """The word that stands for a value."""
    word = one.metavar or (one.name.upper() if one.param_type_name == "argument" else one.type.name.upper())
    word = word.strip("[]").removesuffix(" RANGE")
    many = "..." if one.nargs == -1 else ""
    return f"{word}{many}" if required else f"[{word}{many}]"


def _default(one: Any) -> str:
    """What holds when it is not given."""
    if one.required:
        return "has to be given"
    if one.is_flag if hasattr(one, "is_flag") else False:
        return f"`{(one.opts if one.default else one.secondary_opts or ['no'])[0]}`"
    return f"`{one.default}`" if one.default not in (None, "", (), []) else "-"


def _allowed(one: Any) -> str:
    """The range of a number, or the choices."""
    choices = getattr(one.type, "choices", None)
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    least, most = getattr(one.type, "min", None), getattr(one.type, "max", None)
    if least is None and most is None:
        return "-"
    return f"{least:g} or more" if most is None else f"up to {most:g}" if least is None else f"{least:g} ... {most:g}"


def _first(command: Any) -> str:
    """The first sentence of what a command does."""
    return _cell(inspect.cleandoc(command.help).partition("\n\n")[0])


def _prose(text: str) -> str:
    """Help texts as Markdown: what is bold there is to be typed."""
    return BOLD.sub(lambda found: f"`{' '.join(found[1].split())}`", inspect.cleandoc(text))


def _cell(text: str) -> str:
    """A text in one line of a table."""
    return " ".join(_prose(text).split()).replace("|", "\\|")
