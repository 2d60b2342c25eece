"""`nightschool completion`: the script that a shell completes commands and options with."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from nightschool.core.errors import InvalidInput

__all__ = ["completion"]

_VARIABLE = "_NIGHTSCHOOL_COMPLETE"


_HELP = """Print the script that completes commands and options in SHELL.

\b
bash:  nightschool completion bash >> ~/.bashrc
zsh:   nightschool completion zsh >> ~/.zshrc
fish:  nightschool completion fish > ~/.config/fish/completions/nightschool.fish
"""


@click.command(help=_HELP)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, *, shell: str) -> None:
    """Print the script of the shell."""
    kind = get_completion_class(shell)
    if kind is None:
        raise InvalidInput(f"commands cannot be completed in {shell}")
    root = ctx.find_root().command
    click.echo(kind(root, {}, "nightschool", _VARIABLE).source())
