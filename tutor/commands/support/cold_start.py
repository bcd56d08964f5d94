"""The option of every command that judges: do without the warm judge."""

import click

cold_option = click.option(
    "--cold", is_flag=True, help="Start every process anew, and leave the warm judge alone."
)
