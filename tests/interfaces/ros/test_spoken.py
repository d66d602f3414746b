"""The table of what a cell says and hears: the documentation's is the code's, and its types are there."""

from pathlib import Path

from armillary.interfaces.ros.spoken import SPOKEN, Way, action_topics, table
from armillary.protocols.ros1_definitions import MESSAGES, SERVICES


def test_the_documentations_table_is_the_codes() -> None:
    text = (Path(__file__).parents[3] / "docs" / "ros.md").read_text()
    assert "\n".join(table()) in text, "the table of docs/ros.md is made by armillary.interfaces.ros.spoken.table"


def test_every_type_is_known() -> None:
    for each in SPOKEN:
        if each.way == Way.SERVICE:
            assert each.kind in SERVICES, each
        elif each.way == Way.ACTION:
            assert all(kind in MESSAGES for _, kind in action_topics(each.name, each.kind).values())
        else:
            assert each.kind in MESSAGES, each


def test_names_are_said_once() -> None:
    names = [(each.name, each.way == Way.SERVICE) for each in SPOKEN]
    assert len(set(names)) == len(names)
