"""`armillary users`: who may log in at a cell's pendant, and as what."""

import argparse
import getpass
import sys
from typing import TYPE_CHECKING, Any

from armillary.errors import ArmillaryError
from armillary.interfaces.cli.arguments import add_json
from armillary.interfaces.cli.terminal import print_json, table

if TYPE_CHECKING:
    from armillary.interfaces.http.users import UserStore

__all__ = ["BadPassword", "add_parser", "ask_first_password", "run"]

_ROLES = ("viewer", "operator", "programmer", "administrator")
_EXAMPLES = """\
examples:
  armillary users cobot6 add Ada --role administrator    asks for the password; the first must be an administrator
  armillary users cobot6 add Otto --role operator < password.txt
  armillary users cobot6 list
  armillary users cobot6 password Otto
  armillary users cobot6 remove Otto

A pendant that runs knows of it at once; who is logged in stays so until he logs out, or the pendant is started again.
"""


class BadPassword(ArmillaryError):
    """No password was given."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "users", help="who may log in at the pendant", description=__doc__, epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("source", metavar="ROBOT", help="a cell.toml, a robot's file or its name")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, help_text in (
        ("list", "who there is"),
        ("add", "let somebody log in; the password is asked for, or read from what is piped in"),
        ("password", "give somebody another password"),
        ("remove", "let somebody log in no more"),
    ):
        action = actions.add_parser(name, help=help_text, description=help_text)
        if name != "list":
            action.add_argument("name", metavar="NAME")
        if name == "add":
            action.add_argument("--role", choices=_ROLES, default="operator", help="what he may do (operator)")
        add_json(action)
        action.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from armillary.interfaces.http.roles import Role
    from armillary.interfaces.http.server import pendant_place
    from armillary.interfaces.http.users import UserStore

    users = UserStore(pendant_place(options.source))
    if options.action == "list":
        _list(users, as_json=options.json)
        return 0
    if options.action == "add":
        users.add(options.name, Role[options.role.upper()], _password(options.name))
    elif options.action == "password":
        users.set_password(options.name, _password(options.name))
    else:
        users.remove(options.name)
    if options.json:
        print_json({"done": options.action, "name": options.name})
    return 0


def _list(users: "UserStore", *, as_json: bool) -> None:
    rows = [[user.name, user.role.name.lower(), user.since[:10]] for user in users.all()]
    if as_json:
        print_json({"users": [{"name": name, "role": role, "since": since} for name, role, since in rows]})
    elif rows:
        print(table(["name", "role", "since"], rows))
    else:
        print("nobody can log in yet; add an administrator: armillary users ROBOT add NAME --role administrator")


def ask_first_password(source: str, host: str) -> None:
    """Before anything but this machine may connect somebody must have a password: ask who sits at the terminal for it.

    Nothing is asked where nobody types; whoever listens refuses then, and says why.

    Raises:
        BadPassword: None was given, or the two are not the same.
        BadUser: It is none, or the name is none.
    """
    from armillary.interfaces.http.listening import LOOPBACK
    from armillary.interfaces.http.roles import Role
    from armillary.interfaces.http.server import pendant_place
    from armillary.interfaces.http.users import UserStore, checked_name

    if host in LOOPBACK or sys.stdin is None or not sys.stdin.isatty():
        return
    users = UserStore(pendant_place(source))
    if users.any():
        return
    print(f"{host} lets other machines connect, and nobody has a password yet: choose one for the first administrator.")
    try:
        own = checked_name(getpass.getuser())
    except (ArmillaryError, OSError, KeyError):
        own = "administrator"
    name = checked_name(input(f"name ({own}): ").strip() or own)
    users.add(name, Role.ADMINISTRATOR, _password(name))


def _password(name: str) -> str:
    """Asked for twice where somebody types; a line where it is piped in. Never an argument: others would see it there."""
    if sys.stdin is not None and sys.stdin.isatty():
        given = getpass.getpass(f"password for {name}: ")
        if given != getpass.getpass("again: "):
            raise BadPassword("the two are not the same; nothing has changed, try again")
    else:
        given = sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""
    if not given:
        raise BadPassword("no password was given; type one, or pipe one in")
    return given
