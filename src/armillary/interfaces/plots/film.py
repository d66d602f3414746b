"""A film: a person's skeleton on the left, the robot that imitates it on the right, as paper 1's figure 8 shows both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armillary.errors import ArmillaryError
from armillary.interfaces.plots.film_kernels import darken_edges, draw_triangles, halve
from armillary.interfaces.plots.raster import Camera
from armillary.interfaces.plots.robot_shapes import link_shapes
from armillary.model import Model, frame_pose_batch

__all__ = ["Figure", "NoFilm", "person_figure", "robot_figure", "write_film"]

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]
_PAPER, _INK, _QUIET = (247, 247, 246), (34, 34, 34), (105, 105, 105)
_LIGHT, _FILL = np.array([0.35, -0.45, 0.82]), np.array([-0.7, -0.3, 0.35])
_BONE, _LEFT, _RIGHT = (92, 106, 122), (38, 112, 176), (214, 110, 32)
_THICK = 0.022  # of a person's height: a bone's radius
_ROUND = 24  # flat sides of what is round: enough for a film
_SEES = 0.6  # rad that the camera stands to the left of straight ahead


class NoFilm(ArmillaryError):
    """A film cannot be written; says why."""


@dataclass(frozen=True, eq=False)
class Figure:
    """Something that moves, made of parts that do not bend.

    Attributes:
        triangles: Shape (n, 3, 3) [m, in the frame of its part]. colours: Shape (n, 3), 0..255, red first.
        parts: Of each triangle: which part it is of, shape (n,).
        poses: T_world_part in every frame, shape (frames, parts, 4, 4); x is ahead and z up.
        title: What it is, in words.
    """

    triangles: Array
    colours: Array
    parts: NDArray[np.int64]
    poses: Array
    title: str

    def corners(self, frame: int) -> Array:
        """Of all triangles, in the world, shape (n * 3, 3) [m]."""
        T = self.poses[frame, self.parts]
        return np.asarray((np.einsum("nij,ncj->nci", T[:, :3, :3], self.triangles) + T[:, None, :3, 3]).reshape(-1, 3))


def robot_figure(model: Model, Q: Array, *, facing: Array | None = None, progress: Callable[[str], None] | None = None) -> Figure:
    """A robot in configurations, shape (frames, n).

    Args:
        facing: Where it looks, in its own world, shape (3,): that becomes ahead.
    """
    shapes = list(link_shapes(model.spec.robot, progress, around=_ROUND))
    if not shapes:
        raise NoFilm(f"{model.spec.robot.name} has no shapes to draw; give its description visual or collision geometry")
    turn = np.eye(4)
    if facing is not None and np.hypot(facing[0], facing[1]) > 1e-6:
        c, s = np.array(facing[:2]) / np.hypot(facing[0], facing[1])
        turn[:2, :2] = [[c, s], [-s, c]]
    poses = np.stack([turn @ frame_pose_batch(model, Q, shape.link) for shape in shapes], axis=1)
    return Figure(
        np.concatenate([shape.triangles for shape in shapes]),
        255.0 * np.concatenate([shape.colours[:, :3] for shape in shapes]),
        np.repeat(np.arange(len(shapes)), [len(shape.triangles) for shape in shapes]),
        poses,
        model.spec.robot.name,
    )


def person_figure(places: Array, parents: Sequence[int] | NDArray[np.int64], sides: Sequence[str], title: str) -> Figure:
    """A skeleton: a rod from every bone to the one that it hangs on.

    Args:
        places: Where bones begin, shape (frames, bones, 3) [m], x ahead, z up.
        parents: Of each bone; -1 for a root. sides: "left", "right" or "" of each: drawn in colours of their own.
    """
    import trimesh.creation

    bones = [k for k, parent in enumerate(parents) if parent >= 0]
    height = max(float(np.ptp(places[0][:, 2])), 0.2)
    radius = _THICK * height
    rod = np.asarray(trimesh.creation.cylinder(radius=1.0, height=1.0, sections=10).triangles) + np.array([0.0, 0.0, 0.5])
    ball = np.asarray(trimesh.creation.icosphere(subdivisions=2, radius=1.35 * radius).triangles)
    frames = len(places)
    poses = np.tile(np.eye(4), (frames, 2 * len(bones), 1, 1))
    triangles, colours, parts = list[Array](), list[Array](), list[int]()
    for number, bone in enumerate(bones):
        begin, end = places[:, parents[bone]], places[:, bone]
        poses[:, 2 * number] = _rods(begin, end, radius if np.linalg.norm(end[0] - begin[0]) > 2.0 * radius else 0.5 * radius)
        poses[:, 2 * number + 1, :3, 3] = end
        colour = {"left": _LEFT, "right": _RIGHT}.get(sides[bone], _BONE)
        triangles += [rod, ball]
        colours += [np.tile(colour, (len(rod), 1)), np.tile(np.array(colour) * 0.9, (len(ball), 1))]
        parts += [2 * number] * len(rod) + [2 * number + 1] * len(ball)
    return Figure(np.concatenate(triangles), np.concatenate(colours).astype(float), np.array(parts, dtype=np.int64), poses, title)


def _rods(begin: Array, end: Array, radius: float) -> Array:
    """Poses that stretch a rod of length and radius one between points, shape (frames, 4, 4)."""
    way = end - begin
    length = np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-9)
    z = way / length
    helper = np.where(np.abs(z[:, 2:]) < 0.9, np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    x = np.cross(helper, z)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-9)  # bones without a length are there too
    T = np.tile(np.eye(4), (len(way), 1, 1))
    T[:, :3, 0], T[:, :3, 1], T[:, :3, 2], T[:, :3, 3] = radius * x, radius * np.cross(z, x), way, begin
    return T


def write_film(
    out: Path, figures: Sequence[Figure], period: float, *, rate: float = 30.0, size: tuple[int, int] = (1280, 720),
    words: Callable[[int], str] | None = None, progress: Callable[[int, int], None] | None = None,
) -> Path:  # fmt: skip
    """Write figures side by side as a film: MP4 (VP9), or what the file's suffix says.

    Args:
        period: Between two frames of the figures [s]. rate: Pictures a second. size: Of a picture [px].
        words: A line below, for a frame. progress: Called with how many pictures are drawn, and of how many.

    Raises:
        NoFilm: There is nothing to film, nothing that writes films, or no room for it.
    """
    cv2 = _opencv()
    frames = min((len(figure.poses) for figure in figures), default=0)
    if not frames:
        raise NoFilm("there is no frame to film")
    count = max(1, int((frames - 1) * period * rate) + 1)
    width, height = size[0] // len(figures) // 2 * 2, size[1] // 2 * 2
    panels = [_Panel(figure, width, height, frames) for figure in figures]
    codec = {".mp4": "vp09", ".webm": "VP90", ".avi": "MJPG"}.get(out.suffix.lower())
    if codec is None:
        raise NoFilm(f"a film ends in .mp4, .webm or .avi; {out.name} does not")
    part = out.with_name(f".{out.stem}.part{out.suffix}")
    writer = cv2.VideoWriter(str(part), cv2.VideoWriter_fourcc(*codec), rate, (width * len(figures), height))
    try:
        if not writer.isOpened():
            raise NoFilm(f"{out} cannot be written: is the folder there, and may it be written to?")
        letters = _Letters(height)
        for k in range(count):
            frame = min(frames - 1, round(k / rate / period))
            picture = np.concatenate([panel.draw(frame) for panel in panels], axis=1)
            picture = letters.write(picture, [panel.figure.title for panel in panels], width, words(frame) if words else "")
            writer.write(np.ascontiguousarray(picture[:, :, ::-1]))
            if progress is not None:
                progress(k + 1, count)
        writer.release()
        if not part.is_file() or part.stat().st_size == 0:
            raise NoFilm(f"{out} could not be written: the disk may be full")
        part.replace(out)
    finally:
        writer.release()
        part.unlink(missing_ok=True)
    return out


def _opencv() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise NoFilm("films are written by OpenCV; run: pip install 'armillary[film]'") from error
    return cv2


class _Panel:
    """One figure before a camera that sees all that it does, drawn twice as large and made smaller: smooth edges."""

    def __init__(self, figure: Figure, width: int, height: int, frames: int) -> None:
        self.figure, self._size = figure, (height, width)
        looked_at = np.unique(np.linspace(0, frames - 1, min(frames, 40)).astype(int))
        points = np.concatenate([figure.corners(frame)[::7] for frame in looked_at])
        self._camera = Camera.looking_at(points, width=2 * width, height=2 * height, azimuth=_SEES, elevation=0.22, margin=0.09)
        self._step = 0.012 * float(np.linalg.norm(points.max(axis=0) - points.min(axis=0)))
        self._picture = np.empty((2 * height, 2 * width, 3), dtype=np.uint8)
        self._depth = np.empty((2 * height, 2 * width), dtype=np.float32)

    def draw(self, frame: int) -> Pixels:
        figure, camera = self.figure, self._camera
        self._picture[:], self._depth[:] = _PAPER, 1e9
        draw_triangles(
            figure.triangles, figure.colours, figure.parts, figure.poses[frame], camera.R_camera_world, camera.eye, camera.focal,
            _LIGHT / np.linalg.norm(_LIGHT), _FILL / np.linalg.norm(_FILL), self._picture, self._depth,
        )  # fmt: skip
        darken_edges(self._picture, self._depth, self._step)
        out = np.empty((*self._size, 3), dtype=np.uint8)
        halve(self._picture, out)
        return out


class _Letters:
    """Titles above and a line below."""

    def __init__(self, height: int) -> None:
        from matplotlib import font_manager
        from PIL import ImageFont

        path = font_manager.findfont("DejaVu Sans")
        self._large, self._small = ImageFont.truetype(path, height // 28), ImageFont.truetype(path, height // 40)

    def write(self, picture: Pixels, titles: Sequence[str], width: int, words: str) -> Pixels:
        from PIL import Image, ImageDraw

        image = Image.fromarray(picture)
        draw = ImageDraw.Draw(image)
        for k, title in enumerate(titles):
            draw.text((k * width + 24, 18), title, fill=_INK, font=self._large)
            if k:
                draw.line([(k * width, 0), (k * width, picture.shape[0])], fill=(222, 222, 220))
        if words:
            draw.text((24, picture.shape[0] - 40), words, fill=_QUIET, font=self._small)
        return np.asarray(image)
