"""Waiting for a station that starts: as long as it speaks or works, and the truth about one that does not."""

import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from armillary.runtime.errors import RuntimeProblem
from armillary.runtime.start_up import await_ready, group_seconds

SAY = "import json, sys, time\ndef say(**said):\n    print(json.dumps(said), flush=True)\n"


@pytest.fixture
def started() -> Iterator["list[subprocess.Popen[str]]"]:
    """Supervisors that were made up; ended whatever comes of them."""
    made: list[subprocess.Popen[str]] = []
    yield made
    for process in made:
        process.kill()
        process.wait()


def supervisor(made: "list[subprocess.Popen[str]]", script: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", SAY + script]
    made.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True))
    return made[-1]


def test_one_that_is_ready_is_heard_and_later_words_never_hold_it_up(started: "list[subprocess.Popen[str]]") -> None:
    script = (
        "say(progress='compiling')\nprint('a library speaks')\nprint(3)\nsay(ready={})\nfor i in range(20000): print('x' * 50)"
    )
    process, heard = supervisor(started, script), list[str]()
    await_ready(process, heard.append)
    assert heard[0] == "compiling (0 s)"
    assert process.wait(timeout=60) == 0  # a megabyte, and nobody asked for it


def test_the_reason_that_it_gives_is_told(started: "list[subprocess.Popen[str]]") -> None:
    with pytest.raises(RuntimeProblem, match="no such robot"):
        await_ready(supervisor(started, "say(error='no such robot')"), None)


@pytest.mark.parametrize("work", ["time.sleep(0.02)\n    say(progress=f'step {i}')", "sum(range(300_000))"])
def test_one_that_speaks_or_works_is_waited_for_however_slow_it_is(started: "list[subprocess.Popen[str]]", work: str) -> None:
    """The work goes on for many times what silence is borne for."""
    script = f"end = time.monotonic() + 6.0\ni = 0\nwhile time.monotonic() < end:\n    i += 1\n    {work}\nsay(ready=1)"
    await_ready(supervisor(started, script), None, quiet=2.5)


def test_one_that_does_nothing_is_given_up_and_said_so(started: "list[subprocess.Popen[str]]") -> None:
    script = "say(progress='compiling examine')\ntime.sleep(600)"
    with pytest.raises(
        RuntimeProblem, match=r"had not started after \d+ s, and had done nothing .* ended .compiling examine.; run it"
    ):
        await_ready(supervisor(started, script), None, quiet=1.5)


def test_one_that_works_for_ever_is_given_up_too(started: "list[subprocess.Popen[str]]") -> None:
    with pytest.raises(
        RuntimeProblem, match=r"had not started after \d+ s, and was ended; run it again: what is compiled is kept"
    ):
        await_ready(supervisor(started, "while True: pass"), None, quiet=2.0, longest=3.0)


def test_the_seconds_go_on_while_it_is_silent(started: "list[subprocess.Popen[str]]") -> None:
    heard, third = list[str](), threading.Event()

    def hear(text: str) -> None:
        heard.append(text)
        if len(heard) == 3:
            third.set()

    process = supervisor(started, "say(progress='compiling')\nsys.stdin.readline()\ntime.sleep(3)\nsay(ready=1)")
    await_ready(process, hear)
    assert third.is_set() and heard[0] == "compiling (0 s)" and len(set(heard)) >= 3


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL while it started: the computer may be out"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "ended by SIGTERM while it started: somebody has ended it"),
        ("sys.exit(3)", r"ended while it started \(exit 3\)"),
    ],
)
def test_one_that_ends_by_itself_is_said_to_have(started: "list[subprocess.Popen[str]]", script: str, said: str) -> None:
    with pytest.raises(RuntimeProblem, match=said):
        await_ready(supervisor(started, script), None)


def test_the_time_of_a_group_counts_its_children(started: "list[subprocess.Popen[str]]") -> None:
    script = "import subprocess\nsubprocess.Popen([sys.executable, '-c', 'while True: pass'])\nsay(ready=1)\ntime.sleep(60)"
    process = supervisor(started, script)
    try:
        await_ready(process, None)
        before = group_seconds(process.pid)
        while group_seconds(process.pid) < before + 0.3:
            pass
        assert group_seconds(2**22 + 1) == 0.0
    finally:
        import os
        import signal

        os.killpg(process.pid, signal.SIGKILL)
