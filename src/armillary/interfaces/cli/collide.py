"""`armillary collide`: whether the robot hits itself or its cell's world at a configuration, and the room left."""

import argparse
from typing import TYPE_CHECKING, Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import add_configuration, cell_of, configuration_of, model_of
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armillary.model import Scene

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary collide cobot6
  armillary collide cobot6 --q "0 -1.2 2.9 0 0 0" --inflation 0.02
  armillary collide my_cell/cell.toml --pairs --json

exit status: 0 free, or nothing could be checked, which is said; 1 something collides.
"""
_MOST_NAMED = 6  # links without a shape that are named


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "collide", help="whether something collides at a configuration", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add_configuration(parser)
    parser.add_argument("--inflation", type=float, default=0.0, metavar="M", help="room to keep between any two parts [m]")
    parser.add_argument("--pairs", action="store_true", help="list the pairs that are checked")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.model import PairSearch, Scene

    model = model_of(options)
    q = configuration_of(options, model)
    cell = cell_of(options.source)
    world, ignored, checked = (cell.world, cell.ignored_pairs, cell.checked_pairs) if cell is not None else ((), (), ())
    try:
        scene = Scene(model, ignored=ignored, checked=checked, search=PairSearch(), progress=progress)
    finally:
        progress_done()
    for thing in world:
        scene.add(thing.name, thing.shape, thing.pose.matrix)
    contacts = scene.contacts(q, inflation=options.inflation)
    nearest = scene.nearest(q)
    if options.json:
        print_json({
            "robot": model.spec.robot.name, "q": q.tolist(), "free": not contacts,
            "contacts": [{"first": c.first, "second": c.second, "depth": c.depth} for c in contacts],
            "nearest": None if nearest is None else {
                "distance": nearest.distance, "first": nearest.first, "second": nearest.second,
                "p_world_first": nearest.p_world_first.tolist(), "p_world_second": nearest.p_world_second.tolist(),
            },
            "pairs": [list(pair) for pair in scene.pairs], "nothing_checked": _nothing_checked(scene),
            "without_shape": scene.without_shape,
            "assumptions": [*model.assumptions, *scene.assumptions], "outside_limits": model.outside(q),
        })  # fmt: skip
        return 1 if contacts else 0
    for contact in contacts:
        deep = f"hulls {contact.depth * 1000:.1f} mm deep"
        print(f"{colour('collides', 'red')}: {bold(contact.first)} and {bold(contact.second)}, {deep}")
    if not contacts and nearest is not None:
        print(f"{colour('free', 'green')}; nearest are {bold(nearest.first)} and {bold(nearest.second)}, "
              f"{nearest.distance * 1000:.1f} mm apart")  # fmt: skip
    if (why := _nothing_checked(scene)) and not contacts:
        print(colour(why, "yellow"))
    elif options.pairs:
        print(table(["", "pairs that are checked"], [list(pair) for pair in scene.pairs]))
    for text in scene.assumptions:
        print(colour(f"assumed: {text}", "yellow"))
    if scene.without_shape and scene.parts:
        print(colour(f"not seen, since they have no collision shape: {_named(scene.without_shape)}", "yellow"))
    return 1 if contacts else 0


def _nothing_checked(scene: "Scene") -> str:
    """Why no two parts are checked, or "" where some are."""
    if scene.numbered_pairs:
        return ""
    links = [link.name for link in scene.model.spec.robot.links]
    shaped = {part.owner for part in scene.parts}
    if not shaped.intersection(links):
        return f"nothing was checked: none of the links has a shape: {_named(links)}"
    without = [name for name in links if name not in shaped]
    return f"nothing to check: no two parts can meet{f'; without a shape: {_named(without)}' if without else ''}"


def _named(links: "Sequence[str]") -> str:
    more = f" and {len(links) - _MOST_NAMED} more" if len(links) > _MOST_NAMED else ""
    return ", ".join(links[:_MOST_NAMED]) + more
