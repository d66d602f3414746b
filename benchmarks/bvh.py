"""BVH files: how fast they are read, next to the packages bvh, bvhio and pybvh of PyPI on the same file.

The files are made here: of a suit's 59 bones with six channels each, and of 31 bones with three but for the root, numbers with
six digits; with ../shared beside the project, real ones too. Everybody's result is numbers, frame by frame. Where a peer cannot
read a file, that is said.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from armillary.imitation import BvhReader, read_bvh

sys.path.insert(0, str(Path(__file__).parent))
from support.harness import ROOT, Peer, Row, finish, options

PEERS = ("bvh", "bvhio", "pybvh")
AT_LEAST = 10.0  # times as fast as each of them
SHARED = ROOT.parent / "shared" / "data" / "bvh"
REAL = ("noitom_axisneuron_fakeserver_test.bvh", "cmu_01_01_assimp.bvh")


def write_file(path: Path, bones: int, six: bool, frames: int, seed: int) -> None:
    """A chain of bones that swings."""
    whole, turns = "6 Xposition Yposition Zposition Yrotation Xrotation Zrotation", "3 Yrotation Xrotation Zrotation"
    channels = whole if six else turns
    lines, depth = ["HIERARCHY", "ROOT Hips", "{", "OFFSET 0.0 95.0 0.0", f"CHANNELS {whole}"], 1
    for k in range(1, bones):
        lines += [f"JOINT Bone{k}", "{", f"OFFSET {k % 3}.5 9.25 -0.125", f"CHANNELS {channels}"]
        depth += 1
    lines += ["End Site", "{", "OFFSET 0.0 5.0 0.0", "}"] + ["}"] * depth
    random = np.random.default_rng(seed)
    width = 6 * bones if six else 3 * bones + 3
    values = random.uniform(-90.0, 90.0, width) * np.sin(
        np.linspace(0.0, 20.0, frames)[:, None] + random.uniform(0.0, 6.0, width)
    )
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.016667"]
    lines += [" ".join(f"{value:.6f}" for value in row) for row in values]
    path.write_text("\n".join(lines) + "\n")


def ours(path: Path) -> float:
    begin = time.perf_counter()
    read_bvh(path)
    return time.perf_counter() - begin


def streamed(path: Path) -> tuple[float, int]:
    """How long a file is gone through in blocks [s], and how many frames that were."""
    begin = time.perf_counter()
    frames = sum(len(block) for block in BvhReader(path).blocks())
    return time.perf_counter() - begin, frames


def main() -> None:
    asked = options(__doc__)
    rounds, frames = (7, 6000) if asked.full else (3, 1500)
    rows: list[Row] = []
    peer = Peer("bvh_packages.py")
    with tempfile.TemporaryDirectory() as folder:
        files = [(f"59 bones, six channels, {frames} frames", Path(folder) / "suit.bvh")]
        write_file(files[0][1], 59, True, frames, asked.seed)
        files.append((f"31 bones, three channels, {2 * frames} frames", Path(folder) / "skeleton.bvh"))
        write_file(files[1][1], 31, False, 2 * frames, asked.seed + 1)
        files += [(name, SHARED / name) for name in REAL if (SHARED / name).is_file()]
        for case, path in files:
            read_bvh(path)
            mine: list[float] = []
            theirs: dict[str, list[float]] = {name: [] for name in PEERS}
            refused: set[str] = set()
            for _ in range(rounds):
                for name in PEERS:
                    mine.append(ours(path))
                    answer = peer.ask(peer=name, path=str(path))
                    if answer["seconds"] is not None:
                        theirs[name].append(answer["seconds"])
                    elif name not in refused:
                        refused.add(name)
                        print(f"{name} cannot read {path.name}: {answer['error']}")
            speed = len(read_bvh(path)) / statistics.median(mine)
            for name, times in theirs.items():
                if times:
                    other = len(read_bvh(path)) / statistics.median(times)
                    rows.append(Row(case, "frames/s", speed, other, name, AT_LEAST, smaller_is_better=False))
        took, count = streamed(files[0][1])
        rows.append(Row("the same in blocks", "frames/s", count / took, None, "", None, smaller_is_better=False))
    peer.close()
    finish("bvh", asked.seed, rows, asked.json)


if __name__ == "__main__":
    main()
