"""An XML file as a tree whose every element knows its line: read safely, edited, written back.

Expat is used without namespaces, so that a file with an undeclared prefix (`gazebo:`, `drake:`) can still
be read and the prefix reported. Entities are refused before anything is expanded, and size, depth and
number of elements are bounded, so that no file can take the process down.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from armillary.description.errors import DescriptionError, UnreadableFile

__all__ = [
    "MAX_BYTES",
    "Document",
    "Element",
    "XmlFault",
    "parse_document",
    "read_bytes",
    "write_document",
    "write_element",
]

# The largest real robot files (PR2, Talos) have under 1 MB, 10 000 elements and a depth of 9.
MAX_BYTES = 32 * 1024 * 1024
MAX_ELEMENTS = 300_000
MAX_DEPTH = 200


class Element:
    """One XML element: its tag, attributes, child elements, text and place in the file."""

    __slots__ = ("attributes", "children", "column", "content", "file", "line", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, column: int, file: str) -> None:
        self.tag = tag
        self.attributes = attributes
        self.line = line
        self.column = column
        self.file = file
        self.children: list[Element] = []
        self.text = ""
        # Text, comments and children in order; kept only when the file is to be written back.
        self.content: list[Element | str] | None = None

    def get(self, attribute: str) -> str | None:
        return self.attributes.get(attribute)

    def first(self, tag: str) -> "Element | None":
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def all(self, tag: str) -> "list[Element]":
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> "Iterator[Element]":
        """This element and all below it, in document order, without recursion."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def append(self, child: "Element") -> None:
        """Add a child at the end, indented as its siblings are."""
        if self.content is not None:
            last = self.content[-1] if self.content else ""
            indent = "\n" + "  " * max(0, child.column)
            closing = last if isinstance(last, str) and last.isspace() else "\n"
            if isinstance(last, str) and last.isspace():
                self.content.pop()
            self.content += [indent, child, closing]
        self.children.append(child)

    def remove(self, child: "Element") -> None:
        self.children = [c for c in self.children if c is not child]
        if self.content is not None:
            self.content = [c for c in self.content if c is not child]


@dataclass(frozen=True)
class XmlFault:
    """Why a text is not XML, and where. `kind` names a kind of problem (see `kinds.py`)."""

    kind: str
    what: str
    file: str
    line: int


@dataclass
class Document:
    """A parsed file. `root` is there as far as the text could be read; `fault` says where that ended."""

    file: str
    root: Element | None
    fault: XmlFault | None = None
    prefixes: dict[str, Element] = field(default_factory=dict)  # those used, and where first
    undeclared_prefixes: dict[str, Element] = field(default_factory=dict)
    has_expressions: bool = False  # an attribute has ${...} or $(...): it may be xacro
    skipped_before_root: str = ""
    prolog: list[str] = field(default_factory=list)
    epilog: list[str] = field(default_factory=list)


def read_bytes(path: Path) -> bytes:
    """The bytes of a description file.

    Raises:
        UnreadableFile: No such file, a folder, no permission, or larger than any robot's description.
    """
    try:
        if path.is_dir():
            raise UnreadableFile(path, "is a folder, not a file", "name the robot's file inside it")
        if path.exists() and not path.is_file():
            raise UnreadableFile(path, "is not a regular file", "name a file on disk")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise UnreadableFile(
                path,
                f"has {size / 1e6:.0f} MB; a robot's description has at most {MAX_BYTES // 1024**2} MiB",
                "check that this is the robot's file and not a mesh or a recording",
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise UnreadableFile(path, "does not exist", "check the name and the folder") from None
    except PermissionError:
        raise UnreadableFile(path, "may not be read by this user", "check its permissions") from None
    except (OSError, ValueError) as error:
        # ValueError: a NUL byte in the name.
        raise UnreadableFile(path, f"cannot be read: {error}", "check the name and the disk") from None


class _Refused(DescriptionError):
    """Raised inside expat's handlers to stop at once; never leaves this file."""

    def __init__(self, kind: str, what: str) -> None:
        self.kind = kind
        super().__init__(what)


def parse_document(data: bytes, file: str, *, keep_layout: bool = False, encoding: str | None = None) -> Document:
    """Parse XML without ever raising for what the text contains: a fault is part of the result.

    Args:
        data: The file's bytes; UTF-8 unless the file declares otherwise.
        file: The name to report.
        keep_layout: Keep white space and comments, so that the document can be written back.
        encoding: What the bytes are in, over what the file declares.
    """
    document = Document(file=file, root=None)
    if not data.strip():
        document.fault = XmlFault("empty-file", "the file is empty", file, 1)
        return document
    # tinyxml, and so ROS, reads a file that has white space before its declaration; expat does not.
    stripped = data.lstrip() if data[:4].strip() != data[:4] else data
    skipped_lines = data[: len(data) - len(stripped)].count(b"\n")
    if stripped is not data and stripped.startswith(b"<?xml"):
        document.skipped_before_root = data[: len(data) - len(stripped)].decode("ascii", "replace")
        data = stripped
    else:
        skipped_lines = 0

    parser = expat.ParserCreate(encoding)
    parser.buffer_text = True
    parser.buffer_size = 1 << 20  # text comes in few large pieces: adding up many small ones takes quadratic time
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    stack: list[Element] = []
    declared = {"xml", "xmlns"}
    used: dict[str, Element] = {}
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS:
            raise _Refused("too-large", f"more than {MAX_ELEMENTS} elements")
        if len(stack) >= MAX_DEPTH:
            raise _Refused("too-large", f"elements nested more than {MAX_DEPTH} deep")
        line = parser.CurrentLineNumber + skipped_lines
        depth = len(stack)
        element = Element(tag, attributes, line, depth, file)
        if ":" in tag:
            used.setdefault(tag.partition(":")[0], element)
        for name, value in attributes.items():
            if "$" in value and ("${" in value or "$(" in value):
                document.has_expressions = True
            if ":" in name:
                prefix, _, rest = name.partition(":")
                if prefix == "xmlns":
                    declared.add(rest)
                else:
                    used.setdefault(prefix, element)
        if depth:
            stack[-1].children.append(element)
        else:
            document.root = element
        if keep_layout:
            element.content = []
            if depth:
                content = stack[-1].content
                assert content is not None
                content.append(element)
        push(element)

    push = stack.append

    def end(_tag: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        if stack:
            element = stack[-1]
            element.text += data
            if element.content is not None:
                element.content.append(_escape(data))

    def comment(data: str) -> None:
        if stack and stack[-1].content is not None:
            stack[-1].content.append(f"<!--{data}-->")
        elif not stack:
            (document.prolog if document.root is None else document.epilog).append(f"<!--{data}-->")

    def instruction(target: str, data: str) -> None:
        if stack and stack[-1].content is not None:
            stack[-1].content.append(f"<?{target} {data}?>")
        elif not stack:
            (document.prolog if document.root is None else document.epilog).append(f"<?{target} {data}?>")

    def entity_declared(name: str, *_: object) -> None:
        raise _Refused("entity-declared", f"the file declares an entity, &{name};")

    def doctype(_name: str, system: str | None, public: str | None, _internal: int) -> None:
        if system or public:
            raise _Refused("entity-declared", f"the file refers to an outside document type, {system or public}")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    if keep_layout:
        parser.CommentHandler = comment
        parser.ProcessingInstructionHandler = instruction
    parser.EntityDeclHandler = entity_declared
    parser.StartDoctypeDeclHandler = doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        line = error.lineno + skipped_lines
        document.fault = XmlFault("not-xml", _explain(error, stack, data), file, line)
    except _Refused as refused:
        line = parser.CurrentLineNumber + skipped_lines
        document.fault = XmlFault(refused.kind, str(refused), file, line)
    except (LookupError, ValueError) as error:
        # An encoding that Python does not have, or one that expat cannot take.
        document.fault = XmlFault("not-xml", f"the declared encoding cannot be read: {error}", file, 1)
    document.prefixes = used
    document.undeclared_prefixes = {p: element for p, element in used.items() if p not in declared}
    return document


def _explain(error: expat.ExpatError, stack: list[Element], data: bytes) -> str:
    """What expat found, in the words of the file: which tag is open, which byte is odd."""
    message = expat.ErrorString(error.code)
    lines = data.splitlines()
    source = lines[error.lineno - 1] if 0 < error.lineno <= len(lines) else b""
    what = f"{message} at column {error.offset + 1}"
    if error.code == expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH] and stack:
        return f"{what}: <{stack[-1].tag}>, opened on line {stack[-1].line}, is not closed before this"
    if error.code in _ENDED_EARLY:
        if stack:
            return f"the file ends while <{stack[-1].tag}> of line {stack[-1].line} is still open"
        return "there is no XML in the file"
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as bad:
        return f"{what}: byte 0x{source[bad.start]:02X} is not UTF-8"
    return what


_ENDED_EARLY = {
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    expat.errors.codes[expat.errors.XML_ERROR_PARTIAL_CHAR],
}


def _escape(text: str, *, attribute: bool = False) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("\n", "&#10;").replace("\t", "&#9;") if attribute else text


def write_element(element: Element) -> str:
    """An element and all below it as XML text, with its own layout where that was kept."""
    parts: list[str] = []
    stack: list[Element | str] = [element]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            parts.append(node)
            continue
        attributes = "".join(f' {k}="{_escape(v, attribute=True)}"' for k, v in node.attributes.items())
        content: list[Element | str]
        if node.content is not None:
            content = node.content
        else:
            text = node.text.strip()
            content = ([_escape(text)] if text else []) + list(node.children)
        if not content:
            parts.append(f"<{node.tag}{attributes}/>")
        else:
            parts.append(f"<{node.tag}{attributes}>")
            stack.append(f"</{node.tag}>")
            stack.extend(reversed(content))
    return "".join(parts)


def _indent(root: Element) -> None:
    """Give a tree that stands on one line a line an element."""
    stack = [(root, 0)]
    while stack:
        element, depth = stack.pop()
        if element.content is None or not element.children:
            continue
        spaced: list[Element | str] = []
        for item in element.content:
            if isinstance(item, str) and item.isspace():
                continue
            spaced += ["\n" + "  " * (depth + 1), item]
        element.content = [*spaced, "\n" + "  " * depth]
        stack.extend((child, depth + 1) for child in element.children)


def write_document(document: Document) -> str:
    """A document as XML text, with the white space and comments it was read with; one without any gets its own."""
    if document.root is None:
        raise ValueError("a document without a root element cannot be written")
    content = document.root.content or []
    if not any(isinstance(item, str) and "\n" in item for item in content):
        _indent(document.root)
    head = ['<?xml version="1.0"?>', *document.prolog]
    return "\n".join([*head, write_element(document.root), *document.epilog]) + "\n"
