"""Whether links and joints form one tree, and if not, exactly where they do not."""

from difflib import get_close_matches

from armillary.description.document import Element
from armillary.description.problem import Problems
from armillary.description.robot import Joint, Link
from armillary.description.urdf.joints import JointReader

__all__ = ["MAX_CHAIN", "check_tree"]

# The longest real chains (snake robots, hands on humanoids) have under a hundred joints.
MAX_CHAIN = 1000
_MAX_HINTS = 20  # looking for a name that is spelled alike takes long in a large robot


def check_tree(links: dict[str, Link], joints: list[Joint], reader: JointReader, problems: Problems, root: Element) -> None:
    """Note everything that keeps links and joints from being one tree.

    Args:
        links: Links by name.
        joints: Joints whose parent and child are named.
        reader: Knows where each joint stands, and what the unreadable ones connect.
        problems: Takes what is found.
        root: The <robot> element.
    """
    elements = reader.elements
    above: dict[str, Joint] = {}
    below: dict[str, list[Joint]] = {}
    names = list(links)
    hints = 0
    hung_in_air = {child for _, child in reader.broken_ends}
    for joint in joints:
        at = elements[joint.name]
        where = f"joint '{joint.name}'"
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                hints += 1
                nearest = get_close_matches(name, names, n=1, cutoff=0.7) if hints <= _MAX_HINTS else []
                hint = f"; is '{nearest[0]}' meant?" if nearest else ""
                what = f"its {end} '{name}' is not a link of this file{hint}"
                problems.add("unknown-link", where, what, at=at.first(end) or at)
                hung_in_air.add(joint.child)
        if joint.parent == joint.child:
            problems.add("cycle", where, f"it joins '{joint.parent}' to itself", at=at)
            continue
        if joint.child in above:
            what = f"'{joint.child}' already hangs from joint '{above[joint.child].name}'"
            problems.add("two-parents", where, what, at=at)
            continue
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)

    if not links:
        if not problems.any_error:
            problems.add("no-links", "", "the robot has no links", at=root)
        return
    # A part that hangs from a joint that was already found wrong is not reported a second time.
    roots = [name for name in links if name not in above and name not in hung_in_air]
    reached = _reach([*roots, *hung_in_air], below, links, problems, elements)
    _note_cycles([name for name in links if name not in reached], above, elements, problems)
    if not roots and not hung_in_air:
        problems.add("no-root", "", "every link is the child of a joint", at=root)
    elif len(roots) > 1 and not reader.lost_end:
        sizes = sorted(((_size(r, below, links), r) for r in roots), reverse=True)
        listed = ", ".join(f"'{name}' ({size} link{'s' if size > 1 else ''})" for size, name in sizes[:6])
        more = f" and {len(roots) - 6} more" if len(roots) > 6 else ""
        problems.add("many-roots", "", f"{len(roots)} parts without connection: {listed}{more}", at=root)


def _reach(
    roots: list[str], below: dict[str, list[Joint]], links: dict[str, Link], problems: Problems,
    elements: dict[str, Element],
) -> set[str]:  # fmt: skip
    """Links that hang from a root; a chain beyond all reason is noted once and not followed."""
    reached: set[str] = set()
    stack = [(name, 0) for name in roots]
    deep = False
    while stack:
        name, depth = stack.pop()
        if name in reached or name not in links:
            continue
        reached.add(name)
        for joint in below.get(name, ()):
            if depth + 1 > MAX_CHAIN and not deep:
                deep = True
                what = f"more than {MAX_CHAIN} joints one behind the other"
                problems.add("chain-too-deep", f"joint '{joint.name}'", what, at=elements[joint.name])
            stack.append((joint.child, depth + 1))
    return reached


def _note_cycles(unreached: list[str], above: dict[str, Joint], elements: dict[str, Element], problems: Problems) -> None:
    """Each ring among links that hang from no root, once, with the joints that make it."""
    left = set(unreached)
    for name in unreached:
        trail: list[str] = []
        while name in left and name in above:
            left.discard(name)
            trail.append(name)
            name = above[name].parent
        if trail and name in above and name in set(trail):
            ring = [above[link] for link in trail[trail.index(name) :]]
            shown = " > ".join(joint.child for joint in reversed(ring[:12])) + (" > ..." if len(ring) > 12 else "")
            joint = min(ring, key=lambda j: elements[j.name].line)
            problems.add("cycle", f"joint '{joint.name}'", f"a ring: {shown}", at=elements[joint.name])


def _size(root: str, below: dict[str, list[Joint]], links: dict[str, Link]) -> int:
    count = 0
    stack = [root]
    while stack:
        name = stack.pop()
        if name in links:
            count += 1
            stack.extend(joint.child for joint in below.get(name, ()))
    return count
