"""A first cell for any robot: groups, tips and limits proposed, written as a commented cell.toml.

Paper 2 sets up a robot in five steps by hand (describe it, find its chain, name its frames, fill in limits,
connect the motors). Here they are one function; what a person should still look at is said.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, pi
from pathlib import Path

from armillary.description.limits import JointLimits, joint_limits
from armillary.description.problem import Problem
from armillary.description.robot import Joint, JointType, Robot, zero_position

__all__ = ["Proposal", "ProposedGroup", "propose_cell", "propose_groups"]

# Words by which makers call the frame that a tool is bolted to, best first.
_TOOL_WORDS = (
    "tool0",
    "tcp",
    "tool",
    "flange",
    "ee_link",
    "ee_frame",
    "end_effector",
    "gripper",
    "grasp",
    "hand",
    "palm",
)
_HAND_WORDS = frozenset(
    {"finger", "fingers", "thumb", "index", "middle", "ring", "pinky", "little", "gripper", "jaw", "knuckle", "mrl", "hand"}
)
_LEG_WORDS = frozenset({"leg", "hip", "knee", "ankle", "thigh", "calf", "haa", "hfe", "kfe", "foot"})


@dataclass(frozen=True)
class ProposedGroup:
    """Joints that belong together, and the link they lead."""

    name: str
    joints: tuple[str, ...]
    base: str
    tip: str


@dataclass(frozen=True)
class Proposal:
    """A proposed cell: its text, its groups, its limits, and what a person should look at."""

    text: str
    groups: tuple[ProposedGroup, ...]
    limits: tuple[JointLimits, ...]
    look_at: tuple[str, ...]


def propose_groups(robot: Robot) -> tuple[ProposedGroup, ...]:
    """Chains of the robot's joints, largest first: arms, legs, a head; fingers of one hand together.

    Groups of the robot's SRDF are taken as they are, and joints that they leave out are grouped beside them.
    """
    stated = [group for group in robot.semantics.groups if group.joints]
    taken = [_from_srdf(robot, group.name, group.joints, group.base, group.tip) for group in stated]
    groups = [group for group in taken if group.joints]
    stated_count = len(groups)
    grouped = {joint for group in groups for joint in group.joints}
    names = {group.name for group in groups}
    chains = [chain for chain in _chains(robot) if not any(joint.name in grouped for joint in chain)]
    for joints in chains:
        tip = _tip_of(robot, joints[-1].child) if _is_chain(robot, joints) else ""
        name = _group_name(joints, len(chains), names)
        names.add(name)
        groups.append(ProposedGroup(name, tuple(j.name for j in joints), joints[0].parent, tip))
    # Stated ones as they stand; then arms first: what a person calls the robot's tool is at the end of one.
    found = sorted(groups[stated_count:], key=lambda g: (_is_hand(g.joints), _is_leg(g.joints), -len(g.joints)))
    return (*groups[:stated_count], *found)


def propose_cell(
    robot: Robot, description: Path, *, problems: tuple[Problem, ...] = (), folder: Path | None = None,
    known: str = "", args: Mapping[str, str] | None = None, packages: Mapping[str, Path] | None = None,
    srdf: Path | None = None,
) -> Proposal:  # fmt: skip
    """A cell.toml for a robot.

    Args:
        robot: The robot.
        description: Its file.
        problems: What was found in the file; the gravest are repeated under "look at".
        folder: Where cell.toml will lie; names the description relative to it.
        known: The robot's name, if it is known by one.
        args, packages, srdf: What was needed to read the description, and so is needed again.
    """
    groups = propose_groups(robot)
    limits = joint_limits(robot)
    source = _source_lines(description, folder, known, args or {}, packages or {}, srdf)
    text = _write(robot, source, groups, limits)
    return Proposal(text, groups, limits, _look_at(robot, groups, limits, problems))


def _from_srdf(robot: Robot, name: str, joints: tuple[str, ...], base: str, tip: str) -> ProposedGroup:
    own = tuple(j for j in joints if j in {joint.name for joint in robot.independent if joint.type.is_single})
    if not tip and own:
        deepest = max(own, key=lambda j: len(robot.path_from_root(robot.joint(j).child)))
        path = {joint.name for joint in robot.path_from_root(robot.joint(deepest).child)}
        tip = _tip_of(robot, robot.joint(deepest).child) if set(own) <= path else ""
    if base and any(joint.name in own for joint in robot.path_from_root(base)):
        base = ""  # a chain that SRDF writes from its outer end
    if tip and not set(own) <= {joint.name for joint in robot.path_from_root(tip)}:
        tip = ""
    return ProposedGroup(name, own, base, tip)


def _chains(robot: Robot) -> list[list[Joint]]:
    """The independent joints split where the tree branches into parts that move apart from each other."""
    below: dict[str, int] = {}  # commanded joints below each link, itself excluded
    for link, _ in reversed(list(robot.walk())):
        below[link.name] = sum(below[joint.child] + (1 if _commanded(joint) else 0) for joint in robot.child_joints[link.name])
    chains: list[list[Joint]] = []
    stack: list[tuple[str, list[Joint]]] = [(robot.root.name, [])]
    while stack:
        name, chain = stack.pop()
        moving = [j for j in robot.child_joints[name] if below[j.child] or _commanded(j)]
        branches = [j for j in moving if below[j.child] + _commanded(j) >= 1]
        if len(branches) > 1 and chain and not _goes_on(branches, below):
            chains.append(chain)
            chain = []
        if chain and (not branches or (len(branches) == 1 and _enters_hand(chain, branches[0]))):
            chains.append(chain)
            chain = []
        longest = max(branches, key=lambda j: below[j.child] + _commanded(j), default=None)
        for joint in branches:
            goes_on = joint is longest and (len(branches) == 1 or _goes_on(branches, below))
            rest = chain if goes_on else []
            stack.append((joint.child, [*rest, joint] if _commanded(joint) else list(rest)))
    return _merge_hands([chain for chain in chains if chain], robot)


def _commanded(joint: Joint) -> bool:
    return joint.type.is_single and joint.mimic is None


def _goes_on(branches: list[Joint], below: dict[str, int]) -> bool:
    """An arm goes on past a small branch (a finger, a wheel beside it), but not into two arms."""
    sizes = sorted((below[j.child] + _commanded(j) for j in branches), reverse=True)
    return len(sizes) > 1 and sizes[0] >= 4 and sizes[1] <= 2


def _enters_hand(chain: list[Joint], joint: Joint) -> bool:
    """Whether an arm ends here and its hand begins."""
    return _is_hand((joint.name,)) and not _is_hand(tuple(j.name for j in chain))


def _is_chain(robot: Robot, joints: list[Joint]) -> bool:
    """Whether all joints lie on the way to the last one: fingers side by side do not lead one link."""
    above = {joint.name for joint in robot.path_from_root(joints[-1].child)}
    return all(joint.name in above for joint in joints)


def _merge_hands(chains: list[list[Joint]], robot: Robot) -> list[list[Joint]]:
    """Fingers that start at the same link are one group."""
    merged: list[list[Joint]] = []
    hands: dict[str, list[Joint]] = {}
    for chain in chains:
        if _is_hand(tuple(joint.name for joint in chain)):
            palm = _fixed_ancestor(robot, chain[0].parent)
            if palm in hands:
                hands[palm] += chain
                continue
            hands[palm] = chain
        merged.append(chain)
    return merged


def _fixed_ancestor(robot: Robot, link: str) -> str:
    while link in robot.parent_joints and not _commanded(robot.parent_joints[link]):
        link = robot.parent_joints[link].parent
    return link


def _is_hand(joints: tuple[str, ...]) -> bool:
    return sum(bool(_words(name) & _HAND_WORDS) for name in joints) * 2 > len(joints)


def _is_leg(joints: tuple[str, ...]) -> bool:
    return sum(bool(_words(name) & _LEG_WORDS) for name in joints) * 2 >= len(joints)


def _words(name: str) -> set[str]:
    """The words that a name is made of: r_index1_joint and RightIndexJoint both have `index`."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return {word.lower() for word in re.findall(r"[A-Za-z]+", apart)}


def _tip_of(robot: Robot, link: str) -> str:
    """The frame for a tool at or behind a link: a tool's name first, otherwise the link itself."""
    reachable = [link]
    stack = [link]
    while stack:
        for joint in robot.child_joints[stack.pop()]:
            if joint.type is JointType.FIXED:
                reachable.append(joint.child)
                stack.append(joint.child)
    for word in _TOOL_WORDS:
        for name in reachable:
            if word in name.lower():
                return name
    return link


def _group_name(joints: list[Joint], count: int, taken: set[str]) -> str:
    names = [joint.name for joint in joints]
    if len(joints) == 1:
        stem = names[0].removesuffix("_joint")
    elif _is_hand(tuple(names)):
        stem = "hand"
    elif _is_leg(tuple(names)):
        stem = "leg"
    else:
        stem = _word(_common_start(names)) or ("arm" if len(joints) >= 4 else f"group_{len(taken) + 1}")
    for side in ("left", "right"):
        if all(side in name.lower() or name.lower().startswith(side[0] + "_") for name in names) and side not in stem:
            stem = f"{side}_{stem}" if stem not in ("l", "r") else f"{side}_arm"
    if count == 1 and len(joints) >= 4:
        stem = "arm"
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}_{number}", number + 1
    return name


def _common_start(names: list[str]) -> str:
    first, last = min(names), max(names)  # the most different two of them
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    return first[:length]


def _word(prefix: str) -> str:
    word = prefix.rstrip("0123456789").strip("_- ").removesuffix("_joint").removesuffix("joint").strip("_- ")
    return word.replace("/", "_").replace(" ", "_") if len(word) > 2 else ""


def _look_at(
    robot: Robot, groups: tuple[ProposedGroup, ...], limits: tuple[JointLimits, ...], problems: tuple[Problem, ...]
) -> tuple[str, ...]:
    notes: list[str] = []
    if not robot.independent:
        notes.append("nothing moves: every joint is fixed")
    arms = [group for group in groups if len(group.joints) >= 4 and group.tip]
    arms = [group for group in arms if not _is_leg(group.joints)] or arms
    if arms:
        notes.append(f"tool: the tip of '{arms[0].name}' is taken as '{arms[0].tip}'; measure your tool into [tool]")
    speed = [limit.joint for limit in limits if "velocity" in limit.defaulted]
    if speed:
        notes.append(f"speed: {_some(speed)} state none; 1 rad/s or 0.1 m/s is assumed")
    smooth = [limit.joint for limit in limits if "acceleration" in limit.defaulted]
    if smooth:
        notes.append(f"acceleration and jerk: {_some(smooth)} state none; full speed in 0.5 s, full acceleration in 0.1 s")
    torque = [limit.joint for limit in limits if limit.effort is None]
    if torque:
        notes.append(f"torque: {_some(torque)} state no limit; it is not checked")
    if robot.mass <= 0:
        notes.append("mass: the links weigh nothing; torque and the physics twin need their inertia")
    other = [joint.name for joint in robot.movable if not joint.type.is_single]
    if other:
        notes.append(f"{_some(other)} move in several directions and are not commanded here")
    bare = [link.name for link in robot.links if link.visuals and not link.collisions]
    if bare:
        notes.append(f"collision: {_some(bare)} have a look and no collision shape")
    grave = [problem for problem in problems if problem.kind.severity.rank < 2]
    if grave:
        notes.append(f"the file: {len(grave)} warning{'s' if len(grave) > 1 else ''}; see armillary check")
    return tuple(notes)


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _source_lines(
    description: Path, folder: Path | None, known: str, args: Mapping[str, str], packages: Mapping[str, Path],
    srdf: Path | None,
) -> list[str]:  # fmt: skip
    def relative(path: Path) -> str:
        return _quote(os.path.relpath(path, folder) if folder is not None else str(path))

    lines = [f"name = {_quote(known)}" if known else f"file = {relative(description)}"]
    if args:
        lines.append("args = { " + ", ".join(f"{_key(k)} = {_quote(v)}" for k, v in args.items()) + " }")
    if packages:
        lines.append("packages = { " + ", ".join(f"{_key(k)} = {relative(v)}" for k, v in packages.items()) + " }")
    if srdf is not None:
        lines.append(f"srdf = {relative(srdf)}")
    return lines


def _write(robot: Robot, source: list[str], groups: tuple[ProposedGroup, ...], limits: tuple[JointLimits, ...]) -> str:
    lines = [
        "# A robot cell: see docs/cell.md. Units are m, rad, s, kg, N unless a key says otherwise (_deg, _mm).",
        "version = 1",
        f"name = {_quote(robot.name)}",
        "",
        "[robot]",
        *source,
        "",
        "[driver]",
        'name = "physics"    # the physics twin; "ideal" for a robot without physics, or your motor controller',
    ]
    if groups:
        lines += ["", "# Joints that are moved together, and the link that is led."]
    for group in groups:
        lines += ["", f"[groups.{_key(group.name)}]", f"joints = {_list(group.joints)}"]
        if group.base and group.base != robot.root.name:
            lines.append(f"base = {_quote(group.base)}")
        if group.tip:
            lines.append(f"tip = {_quote(group.tip)}")
    for group in groups:
        if group.joints:
            q = [_round(zero_position(robot.joint(name))) for name in group.joints]
            lines += ["", f"[states.{_key('home_' + group.name if len(groups) > 1 else 'home')}]"]
            lines += [f"group = {_quote(group.name)}", f"q = [{', '.join(q)}]"]
    lines += ["", "# What is bolted to the tip: measure it, or leave the flange.", "[tool]", 'name = "flange"']
    lines += ["xyz = [0.0, 0.0, 0.0]", "rpy = [0.0, 0.0, 0.0]", "mass = 0.0"]
    lines += [
        "",
        "# Where the robot's root stands in the world.",
        "[base]",
        "xyz = [0.0, 0.0, 0.0]",
        "rpy = [0.0, 0.0, 0.0]",
    ]
    lines += ["", "[workspace]", "tool_speed = 0.25    # m/s; the usual bound next to a person"]
    for limit in limits:
        lines += ["", *_limit_lines(limit, robot.joint(limit.joint))]
    return "\n".join(lines) + "\n"


def _limit_lines(limit: JointLimits, joint: Joint) -> list[str]:
    lines = [f"[limits.{_key(limit.joint)}]"]
    if isfinite(limit.lower) and isfinite(limit.upper):
        shown = ""
        if joint.type is not JointType.PRISMATIC:
            shown = f"    # {limit.lower * 180 / pi:.1f} to {limit.upper * 180 / pi:.1f} degrees"
        lines += [f"lower = {_exact(limit.lower)}", f"upper = {_exact(limit.upper)}{shown}"]
    for name in ("velocity", "acceleration", "jerk"):
        assumed = "    # assumed: the robot's file does not say" if name in limit.defaulted else ""
        value = getattr(limit, name)
        # What is assumed is no figure to the last digit: 6.0, not 5.999999999999999.
        lines.append(f"{name} = {_exact(float(f'{value:.9g}') if assumed else value)}{assumed}")
    if limit.effort is not None:
        lines.append(f"effort = {_exact(limit.effort)}")
    return lines


def _exact(value: float) -> str:
    return repr(float(value))


def _round(value: float) -> str:
    return repr(float(value)) if value else "0.0"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _key(name: str) -> str:
    plain = name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    return name if plain else _quote(name)


def _list(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(_quote(name) for name in names) + "]"
