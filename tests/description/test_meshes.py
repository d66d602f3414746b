"""Sizes guessed from a sample of the vertices, and the smell of millimetres."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from armillary.description import UnreadableFile, check_robot, repair_robot
from armillary.description.mesh import load_mesh, sampled_extents

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
