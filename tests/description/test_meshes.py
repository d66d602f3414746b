"""Sizes guessed from a sample of the vertices, and the smell of millimetres."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh

from armillary.description import UnreadableFile, check_robot, repair_robot
from armillary.description.mesh import load_mesh, sampled_extents
from armillary.model import Scene, load_model

from ..conftest import ARM

BOX = (0.3, 0.2, 0.1)


def ascii_stl(mesh: trimesh.Trimesh) -> bytes:
    text: str = trimesh.exchange.stl.export_stl_ascii(mesh)
    return text.encode()


@pytest.mark.parametrize("suffix", ["stl", "obj", "dae", "ascii.stl"])
def test_the_size_of_a_mesh_is_seen_in_every_format(suffix: str, tmp_path: Path) -> None:
    mesh = trimesh.creation.box(extents=BOX)
    path = tmp_path / f"box.{suffix}"
    path.write_bytes(ascii_stl(mesh) if suffix == "ascii.stl" else _exported(mesh, suffix))
    extents = sampled_extents(str(path))
    assert extents is not None and np.allclose(sorted(extents), sorted(BOX), rtol=1e-5)
    assert np.allclose(sorted(load_mesh(str(path), scale=(2, 2, 2)).extents), sorted(np.array(BOX) * 2), rtol=1e-5)


def _exported(mesh: trimesh.Trimesh, suffix: str) -> bytes:
    data = mesh.export(file_type=suffix)
    return data if isinstance(data, bytes) else str(data).encode()


def test_a_mesh_in_millimetres_is_smelt_and_the_scale_repaired(tmp_path: Path) -> None:
    mesh = trimesh.creation.cylinder(radius=50, height=200)
    (tmp_path / "part.stl").write_bytes(_exported(mesh, "stl"))
    path = tmp_path / "robot.urdf"
    path.write_text(ARM.replace('<cylinder radius="0.05" length="0.2"/>', '<mesh filename="part.stl"/>'))
    (problem,) = [p for p in check_robot(path).problems if p.kind.name == "mesh-units"]
    assert problem.line == 10 and "200 m across" in problem.what
    assert 'scale="0.001 0.001 0.001"' in repair_robot(path).text


def test_a_mesh_in_metres_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(_exported(trimesh.creation.cylinder(radius=0.05, height=0.2), "stl"))
    path = tmp_path / "robot.urdf"
    path.write_text(ARM.replace('<cylinder radius="0.05" length="0.2"/>', '<mesh filename="part.stl"/>'))
    assert [p.kind.name for p in check_robot(path).problems] == ["default-limits"]


def test_a_collada_file_is_read_in_the_unit_that_it_says(tmp_path: Path) -> None:
    text = _exported(trimesh.creation.box((100.0, 50.0, 20.0)), "dae").decode()
    path = tmp_path / "part.dae"
    path.write_text(text.replace("</asset>", '<unit name="millimeter" meter="0.001"/></asset>'))
    assert load_mesh(str(path)).extents == pytest.approx([0.1, 0.05, 0.02])
    assert sampled_extents(str(path)) == pytest.approx([0.1, 0.05, 0.02])
    path.write_text(text)
    assert load_mesh(str(path)).extents == pytest.approx([100.0, 50.0, 20.0])


@pytest.mark.parametrize("data", [b"", b"solid nothing", b"\x00" * 84, b"v 1 2", b"<COLLADA>", bytes(200)])
@pytest.mark.parametrize("suffix", ["stl", "obj", "dae"])
def test_a_broken_mesh_has_no_size_and_is_refused_when_loaded(data: bytes, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"broken.{suffix}"
    path.write_bytes(data)
    assert sampled_extents(str(path)) is None
    with pytest.raises(UnreadableFile, match="export it again"):
        load_mesh(str(path))


def test_a_mesh_without_vertices_is_noted_by_the_check(tmp_path: Path) -> None:
    (tmp_path / "part.stl").write_bytes(b"solid nothing")
    path = tmp_path / "robot.urdf"
    path.write_text(ARM.replace('<cylinder radius="0.05" length="0.2"/>', '<mesh filename="part.stl"/>'))
    assert [p.kind.name for p in check_robot(path).problems] == ["mesh-broken", "default-limits"]


def sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def zeros_with_count(path: Path, count: int, size: int) -> None:
    sparse(path, size)
    with path.open("r+b") as file:
        file.seek(80)
        file.write(count.to_bytes(4, "little"))


@pytest.mark.parametrize(
    ("make", "suffix", "said"),
    [
        (lambda path: sparse(path, 5 << 30), "stl", "has 5120 MB"),
        (lambda path: sparse(path, 50 << 20), "stl", "holds no vertices"),
        (lambda path: sparse(path, 50 << 20), "obj", "holds no vertices"),
        (lambda path: sparse(path, 50 << 20), "dae", "holds no vertices"),
        (lambda path: sparse(path, 0), "glb", "is empty"),
        (lambda path: zeros_with_count(path, 1000, 84 + 50_000), "stl", "holds nothing but zeros"),
        (lambda path: zeros_with_count(path, 100_000, 3_000_000), "stl", "is cut off: it says that it has 100000 triangles"),
        (lambda path: path.write_bytes(bytes(80) + b"\x01\0\0\0" + b"\xff" * 50), "stl", "holds vertices that are not finite"),
    ],
)
def test_a_damaged_mesh_is_said_without_reading_all_of_it(
    make: Callable[[Path], None], suffix: str, said: str, tmp_path: Path
) -> None:
    make(tmp_path / f"part.{suffix}")
    path = tmp_path / "robot.urdf"
    path.write_text(ARM.replace('<cylinder radius="0.05" length="0.2"/>', f'<mesh filename="part.{suffix}"/>'))
    (problem,) = [p for p in check_robot(path).problems if p.kind.name == "mesh-broken"]
    assert problem.what.startswith(f"part.{suffix} {said}") and problem.line
    with pytest.raises(UnreadableFile, match=said.split(":")[0]):
        load_mesh(str(tmp_path / f"part.{suffix}"))
    scene = Scene(load_model(path))
    assert said in scene.assumptions[0] and scene.without_shape == ["upper"]
