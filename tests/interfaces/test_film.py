"""A film of a person and a robot, side by side."""

from pathlib import Path

import numpy as np
import pytest

from armillary.imitation import Person, Room, match, sides_of_bones
from armillary.interfaces.plots.film import Figure, NoFilm, person_figure, robot_figure, write_film
from armillary.interfaces.plots.film_kernels import draw_triangles
from armillary.interfaces.plots.raster import Camera
from armillary.model import load_model
from armillary.spatial import axis_angle_rotation
from tests.imitation.bodies import FAMILIES, body, motion

Y, Z = np.eye(3)[1:]
PERIOD = 0.05


def somebody() -> Figure:
    """Who lifts the left arm, from the side to above the head."""
    angles = np.linspace(0.0, 1.2, 12)
    capture = motion(body(FAMILIES["noitom"]), [{"left_upper_arm": axis_angle_rotation(Z, angle)} for angle in angles])
    found = match(capture.skeleton)
    person = Person.of_capture(capture, found)
    places = capture.poses.places * person.stature.metres
    room = Room(found, places, person.postures(capture.poses).chest)
    return person_figure(room.upright(places), capture.skeleton.parents, sides_of_bones(found), "somebody")


def test_a_person_stands_upright_and_looks_ahead() -> None:
    capture = motion(body(FAMILIES["noitom"]), [{}, {"head": axis_angle_rotation(Y, 0.3)}])
    found = match(capture.skeleton)
    person = Person.of_capture(capture, found)
    places = capture.poses.places * person.stature.metres
    seen = Room(found, places, person.postures(capture.poses).chest).upright(places)[0]
    pelvis, head = seen[found["pelvis"]], seen[found["head"]]
    assert np.allclose(pelvis[:2], 0.0) and head[2] - pelvis[2] > 0.4
    assert seen[found["left_hand"]][1] > 0.5 > -0.5 > seen[found["right_hand"]][1], "y is left"
    sides = sides_of_bones(found)
    assert sides[found["left_hand"]] == "left" and sides[found["right_foot"]] == "right" and sides[found["head"]] == ""


def test_the_nearest_triangle_is_seen() -> None:
    square = np.array([[[0, -1, -1], [0, 1, -1], [0, 1, 1]], [[0, -1, -1], [0, 1, 1], [0, -1, 1]]], dtype=float)
    poses = np.tile(np.eye(4), (2, 1, 1))
    poses[1, 0, 3], poses[1, 1, 3] = 0.5, 1.0  # nearer to the eye, half beside the other
    camera = Camera.looking_at(square.reshape(-1, 3), width=64, height=64, azimuth=0.0, elevation=0.0)
    picture, depth = np.zeros((64, 64, 3), dtype=np.uint8), np.full((64, 64), 1e9, dtype=np.float32)
    colours = np.array([[200.0, 0, 0]] * 2 + [[0, 200.0, 0]] * 2)
    light = np.array([1.0, 0.0, 0.0])
    draw_triangles(
        np.concatenate([square, square]), colours, np.array([0, 0, 1, 1]), poses, camera.R_camera_world, camera.eye, camera.focal,
        light, light, picture, depth,
    )  # fmt: skip
    middle = picture[32]
    assert (middle[:, 0] > 100).any() and (middle[:, 1] > 100).any()
    assert middle[36, 1] > 100 and middle[36, 0] == 0, "where both are, the green one is nearer"


def test_a_film_shows_both_sides_move(tmp_path: Path) -> None:
    cv2 = pytest.importorskip("cv2", reason="films are written by OpenCV: pip install 'armillary[film]'")
    model = load_model("inmoov")
    Q = np.tile(model.zero(), (12, 1))
    Q[:, list(model.joints).index("r_elbow_flex_joint")] = np.linspace(-0.1, -1.2, 12)
    told: list[tuple[int, int]] = []
    out = write_film(
        tmp_path / "both.mp4", [somebody(), robot_figure(model, Q)], PERIOD, rate=20.0, size=(320, 180),
        words=lambda frame: f"{frame * PERIOD:.2f} s", progress=lambda done, of: told.append((done, of)),
    )  # fmt: skip
    film = cv2.VideoCapture(str(out))
    pictures = [film.read()[1].astype(int) for _ in range(12)]
    assert pictures[0].shape == (180, 320, 3) and film.get(cv2.CAP_PROP_FRAME_COUNT) == 12
    assert told[-1] == (12, 12)
    for half in (slice(0, 160), slice(160, 320)):
        changed = np.abs(pictures[0][:150, half] - pictures[-1][:150, half]).max(axis=2) > 60
        assert changed.sum() > 60, "something moved there"
    assert not list(tmp_path.glob(".*part*"))


def test_what_cannot_be_filmed_is_said(tmp_path: Path) -> None:
    pytest.importorskip("cv2", reason="films are written by OpenCV: pip install 'armillary[film]'")
    with pytest.raises(NoFilm, match="no frame"):
        write_film(tmp_path / "none.mp4", [], PERIOD)
    with pytest.raises(NoFilm, match="ends in"):
        write_film(tmp_path / "none.gif", [somebody()], PERIOD)
    with pytest.raises(NoFilm, match="cannot be written"):
        write_film(tmp_path / "nowhere" / "none.mp4", [somebody()], PERIOD)
