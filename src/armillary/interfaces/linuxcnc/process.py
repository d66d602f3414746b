"""LinuxCNC's processes: started in a folder of their own, and ended, all of them and none but them."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.resources import files
from pathlib import Path

from armillary.interfaces.linuxcnc.errors import LinuxcncMissing, LinuxcncProblem
from armillary.interfaces.linuxcnc.hal_text import hal_text
from armillary.interfaces.linuxcnc.ini_text import ini_text
from armillary.interfaces.linuxcnc.machine import Machine, safe_path

__all__ = ["LinuxcncProcess", "linuxcnc_program"]

_PYTHON = "/usr/bin/python3"  # the system's: it has LinuxCNC's modules
_REALTIME = Path("/usr/lib/linuxcnc/realtime")
_LOCK = Path("/tmp/linuxcnc.lock")  # LinuxCNC's own: one runs on a machine
_NAMES = ("linuxcnc", "linuxcncsvr", "milltask", "rtapi_app", "rtapi_app:T#0")
_NOBODY = 65534  # who its real-time part is where we are root
_MARK = "ARMILLARY_LINUXCNC"  # in the environment of all that we started
_PREFIX = "armillary-linuxcnc-"
_OLD = 60.0  # s after which a folder that no LinuxCNC runs in was left behind by one that was killed
_ENDS = 15.0  # s that it may take to end by itself
_KEPT = ("machine.ini", "machine.hal", "machine.var", "machine.tbl", "linuxcnc.log")


def linuxcnc_program() -> str:
    """Where LinuxCNC is.

    Raises:
        LinuxcncMissing: It is not installed.
    """
    found = shutil.which("linuxcnc")
    if found is None or not Path(_PYTHON).exists():
        raise LinuxcncMissing("LinuxCNC is not installed; 'make peers' installs it (Debian: apt-get install linuxcnc-uspace)")
    return found


class LinuxcncProcess:
    """One LinuxCNC, in a folder of its own.

    Attributes:
        folder: Its INI, HAL, log and sockets; taken away at the end.
    """

    def __init__(self, machine: Machine, *, keep: Path | None = None) -> None:
        """Write what it needs; see `start`.

        Args:
            keep: A folder that INI, HAL and log are copied into at the end.

        Raises:
            LinuxcncProblem: It is not installed, or another one runs on this machine.
        """
        self._program, self._keep = linuxcnc_program(), keep
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
        _refuse_another()
        _sweep_folders()
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._process: subprocess.Popen[bytes] | None = None
        self._log = self.folder / "linuxcnc.log"
        self.environment = self._environment()
        self._write(machine)

    @property
    def robot_socket(self) -> Path:
        return self.folder / "robot.sock"

    @property
    def display_socket(self) -> Path:
        return self.folder / "display.sock"

    @property
    def pid(self) -> int:
        """Of its script."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start it; its component and its display find our sockets, which must listen by now."""
        with self._log.open("wb") as log:
            # -r leaves its output where it is; otherwise it goes to files of its own in /tmp.
            self._process = subprocess.Popen(
                [self._program, "-r", str(self.folder / "machine.ini")], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env=self.environment, cwd=self.folder, start_new_session=True,
            )  # fmt: skip
        try:
            os.setpriority(os.PRIO_PROCESS, self._process.pid, -10)  # and so all that it starts: its servo thread among them
        except OSError:
            pass  # then it takes its turn

    @property
    def ended(self) -> bool:
        """Whether its script has ended."""
        return self._process is not None and self._process.poll() is not None

    @property
    def words(self) -> str:
        """What it said last, without what it always says."""
        try:
            lines = self._log.read_text(errors="replace").splitlines()
        except OSError:
            return "it said nothing"
        said = [line.strip() for line in lines if line.strip() and not line.startswith(_USUAL)]
        return "; ".join(said[-6:]) or "it said nothing"

    def close(self) -> None:
        """End it: by itself where its display was told to, then by force. Any number of times."""
        if self._process is not None:
            self._end(self._process)
            self._sweep()
        if self._keep is not None and self.folder.is_dir():
            for name in _KEPT:
                if (self.folder / name).is_file():
                    shutil.copy(self.folder / name, self._keep / name)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _environment(self) -> dict[str, str]:
        home, fifo = self.folder / "home", self.folder / "realtime"
        home.mkdir()
        fifo.mkdir()
        found = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "PYTHONPATH", "VIRTUAL_ENV")}
        found |= {
            "HOME": str(home), "LC_ALL": "C.UTF-8", _MARK: self.folder.name, "RTAPI_FIFO_PATH": str(fifo / "fifo"),
            "ARMILLARY_DISPLAY": str(self.display_socket),
        }  # fmt: skip
        if os.geteuid() == 0:
            self.folder.chmod(0o711)
            os.chown(fifo, _NOBODY, _NOBODY)
            found["RTAPI_UID"] = str(_NOBODY)
        return found

    def _write(self, machine: Machine) -> None:
        scripts = files("armillary.interfaces.linuxcnc")
        for name in ("hal_component.py", "display_script.py"):
            path = self.folder / name
            path.write_text(scripts.joinpath(name).read_text())
            path.chmod(0o755)
        component = f"{_PYTHON} {safe_path(self.folder / 'hal_component.py')} {self.robot_socket} {machine.n}"
        (self.folder / "machine.hal").write_text(hal_text(machine, component=component))
        (self.folder / "machine.ini").write_text(ini_text(machine, hal="machine.hal", display="./display_script.py"))
        for name in ("machine.var", "machine.tbl"):
            (self.folder / name).touch()

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        for order in (None, signal.SIGTERM, signal.SIGKILL):
            if order is not None and process.poll() is None:
                process.send_signal(order)
            try:
                process.wait(_ENDS)
                return
            except subprocess.TimeoutExpired:
                continue

    def _sweep(self) -> None:
        """What it left behind, as it does when it is killed: its real-time part, its memory, its lock."""
        left = self._marked()
        if not left and self._process is not None and self._process.returncode == 0:
            return
        for pid in left:
            _signal(pid, signal.SIGTERM)
        if _REALTIME.exists():
            subprocess.run(
                [str(_REALTIME), "stop"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, timeout=30.0, check=False,
            )  # fmt: skip
        end = time.monotonic() + 3.0
        while self._marked() and time.monotonic() < end:
            time.sleep(0.05)
        for pid in self._marked():
            _signal(pid, signal.SIGKILL)
        _LOCK.unlink(missing_ok=True)

    def _marked(self) -> list[int]:
        """Living processes that were started by us, or by what we started."""
        mark = f"{_MARK}={self.folder.name}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0") and not _is_dead(entry):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended, or is not ours
        return found


_USUAL = (
    "Running with fallback_uid", "Note: Using POSIX", "Machine configuration", "check_config: Unchecked", "Starting LinuxCNC",
    "Found file", "linuxcnc TPMOD", "userkKinematicsSetup", "   emc/kinematics", "task: ", "Shutting down",
    "Can not find -sec",
)  # fmt: skip


def _refuse_another() -> None:
    """One LinuxCNC runs on a machine: its memory has the same names for all.

    Raises:
        LinuxcncProblem: One does.
    """
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name = (entry / "comm").read_text().strip()
            if name in _NAMES and not _is_dead(entry):
                raise LinuxcncProblem(
                    f"another LinuxCNC runs on this machine (process {entry.name}, '{name}'); one is all it takes: end it first"
                )
        except OSError:
            continue
    _LOCK.unlink(missing_ok=True)  # of one that was killed: otherwise the next would clean up after it, and ask


def _sweep_folders() -> None:
    """Take away folders of runs that were killed: no LinuxCNC runs now."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if time.time() - folder.stat().st_mtime > _OLD and folder.stat().st_uid == os.geteuid():
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def _is_dead(entry: Path) -> bool:
    """Whether a process has ended and only waits to be counted."""
    return (entry / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"


def _signal(pid: int, order: signal.Signals) -> None:
    try:
        os.kill(pid, order)
    except OSError:
        pass
