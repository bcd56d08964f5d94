"""The entry point: the application, or a command. A failure, expected or not, becomes one line on
stderr and the contract's exit status."""

import gc
import os
import signal
import sys
from contextlib import suppress

from tutor.base import own_files  # noqa: F401  (it notes when the program began)
from tutor.base.errors import CannotHere, PipeClosed, ProgramFault, Stopped, UsageError


def main() -> None:
    """Run what the command line asks for and end the process with its exit status."""
    try:
        completing = "_TUTOR_COMPLETE" in os.environ  # how click's shell completion asks
        words = sys.argv[1].split("=", 1) + sys.argv[2:] if sys.argv[1:] else []
        other_course = len(words) == 2 and words[0] == "--course"  # and no command
        if other_course:
            os.environ["TUTOR_COURSE"] = os.path.abspath(words[1])
        status = application() if other_course or not (sys.argv[1:] or completing) else command()
    except (UsageError, CannotHere, ProgramFault, Stopped) as error:
        _tell(error)
        status = error.exit_status
    except KeyboardInterrupt:
        _tell(Stopped())
        status = Stopped.exit_status
    except UnicodeEncodeError as error:
        from tutor.base.terminal import utf8_locale

        lacks = f"the encoding {error.encoding} lacks {error.object[error.start]!a}"
        _tell(f"{lacks}: {utf8_locale()}")
        status = CannotHere.exit_status
    except (PipeClosed, BrokenPipeError):
        status = PipeClosed.exit_status
    except Exception as error:
        from tutor.base.crash_log import write_crash

        fault = write_crash(error)
        _tell(fault)
        status = fault.exit_status
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process is about to end
    _leave_nothing_to_flush()
    exec("")  # ctrl+c within an `exec` of text, now handled, would else end `python -m` by SIGINT
    sys.exit(status)


def _tell(sentence: object) -> None:
    """Print why it ends, in which a file's name or a stranger's text may stand, as one line."""
    from tutor.base.terminal_text import escape_controls

    with suppress(OSError, UsageError):  # stderr is full or closed: the status has to say it
        print(escape_controls(f"tutor: {sentence}"), file=sys.stderr)


def _leave_nothing_to_flush() -> None:
    """Drop what cannot be printed. Python flushes the streams at its end, and a failure there would
    change the status."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError, UsageError):
            with suppress(OSError, ValueError, AttributeError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def command() -> int:
    """Run the command that the command line names. Returns its exit status."""
    from tutor import cli
    from tutor.base.terminal_text import clean_streams

    clean_streams()

    status = cli.run()
    if sys.stdout:  # else the caller has closed it, and wants the status alone
        sys.stdout.flush()
    return status


def application() -> int:
    """Run the application without click, whose import would delay the first paint by 4 ms."""
    from tutor.base import terminal

    served = "TEXTUAL_DRIVER" in os.environ  # by `tutor serve`, which speaks through pipes
    if not served and not (terminal.is_terminal(sys.stdin) and terminal.is_terminal(sys.stdout)):
        raise CannotHere(
            "the application needs a terminal; in a pipe use a command (see `tutor --help`)"
        )
    if trouble := terminal.trouble():
        raise CannotHere(trouble)
    # The imports make no garbage; collections would delay the first paint by 10 ms (of 250, two cores).
    gc.disable()  # until `gc_tuning.start`
    from tutor.commands.support.progress_line import ProgressLine
    from tutor.ui.session import run

    run(ProgressLine("opening the record"))
    return 0


if __name__ == "__main__":
    main()
