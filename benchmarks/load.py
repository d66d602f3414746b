"""Reading robots: TIAGo read and checked, and a whole corpus in one process.

Peers: yourdfpy and urdf_parser_py, which read as much of the file as we do (neither checks it); Pinocchio's
own reader in C++, which reads masses and joints only, for scale. Ours includes every check, the resolved
paths of all meshes, and a look into each for its size.
"""

import resource
import sys
import time
from functools import partial
from pathlib import Path

from armillary.description import DescriptionError, check_robot, find_robot, read_source

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import ROOT, Peer, Row, finish, interleaved, options


def memory_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def read_all(files: list[Path]) -> float:
    start = time.perf_counter()
    for path in files:
        try:
            read_source(path)
        except DescriptionError:
            pass
    return time.perf_counter() - start


def main() -> None:
    opts = options(__doc__ or "")
    peer = Peer("load.py")
    rows: list[Row] = []

    tiago = find_robot("tiago")
    times = 5
    for name in ("yourdfpy", "urdf_parser_py", "pin"):  # first calls import and warm up
        peer.ask(reader=name, files=[str(tiago)])
    check_robot(tiago)

    def ours() -> float:
        start = time.perf_counter()
        for _ in range(times):
            check_robot(tiago)
        return (time.perf_counter() - start) / times

    def theirs(name: str) -> float:
        seconds: float = peer.ask(reader=name, files=[str(tiago)], times=times)["seconds"]
        return seconds / times

    peers = {name: partial(theirs, name) for name in ("yourdfpy", "urdf_parser_py", "pin")}
    mine, others = interleaved(ours, peers, 25 if opts.full else 9)
    fastest = min(("yourdfpy", "urdf_parser_py"), key=lambda name: others[name])
    for name, seconds in others.items():
        target = 2.0 if name == fastest else None
        shown = name if name != "pin" else "pin (joints and masses only)"
        rows.append(Row("tiago, 78 links, read and checked", "ms", mine * 1e3, seconds * 1e3, shown, target))

    corpus = ROOT.parent / "shared" / "data" / "urdf"
    folder = corpus if corpus.is_dir() else tiago.parents[2]
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".urdf", ".xacro"))
    first = read_all(files)
    before = memory_mb()
    for _ in range(10 if opts.full else 2):
        first = min(first, read_all(files))
    grown = memory_mb() - before
    urdfs = [str(p) for p in files if p.suffix.lower() == ".urdf"]
    start = time.perf_counter()
    read_all([Path(p) for p in urdfs])
    mine = time.perf_counter() - start
    seconds = float(peer.ask(reader="urdf_parser_py", files=urdfs)["seconds"])
    rows.append(Row(f"corpus, {len(urdfs)} URDF", "s", mine, seconds, "urdf_parser_py", None))
    rows.append(Row(f"corpus, {len(files)} files with xacro, one process", "s", first, None, "", 60.0))
    rows.append(Row("memory grown by reading the corpus again", "MB", grown, None, "", 20.0))
    peer.close()
    finish("load", opts.seed, rows, opts.json)


if __name__ == "__main__":
    main()
