"""`armillary collide`: whether the robot hits itself or its cell's world at a configuration, and the room left."""

import argparse
from typing import Any

from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.configuration import add_configuration, cell_of, configuration_of, model_of
from armillary.interfaces.cli.terminal import bold, colour, print_json, progress, progress_done, table

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  armillary collide cobot6
  armillary collide cobot6 --q "0 -1.2 2.9 0 0 0" --inflation 0.02
  armillary collide my_cell/cell.toml --pairs --json

exit status: 0 free, 1 something collides.
"""


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
            "pairs": [list(pair) for pair in scene.pairs], "without_shape": scene.without_shape,
            "assumptions": [*model.assumptions, *scene.assumptions], "outside_limits": model.outside(q),
        })  # fmt: skip
        return 1 if contacts else 0
    for contact in contacts:
        deep = f"hulls {contact.depth * 1000:.1f} mm deep"
        print(f"{colour('collides', 'red')}: {bold(contact.first)} and {bold(contact.second)}, {deep}")
    if not contacts and nearest is not None:
        print(f"{colour('free', 'green')}; nearest are {bold(nearest.first)} and {bold(nearest.second)}, "
              f"{nearest.distance * 1000:.1f} mm apart")  # fmt: skip
    if options.pairs:
        print(table(["", "pairs that are checked"], [list(pair) for pair in scene.pairs]))
    for text in scene.assumptions:
        print(colour(f"assumed: {text}", "yellow"))
    if scene.without_shape:
        named = ", ".join(scene.without_shape[:6])
        more = f" and {len(scene.without_shape) - 6} more" if len(scene.without_shape) > 6 else ""
        print(colour(f"not seen, since they have no collision shape: {named}{more}", "yellow"))
    return 1 if contacts else 0
