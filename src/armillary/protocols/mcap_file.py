"""MCAP, the file that Foxglove and PlotJuggler open: written chunk by chunk, and read as far as it goes.

The records are those of the `mcap` package; gathered here are messages into chunks, since there are thousands in a second, and
what is left of a file whose writer was killed.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
import zstandard
from mcap.data_stream import ReadDataStream, RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)
from mcap.stream_reader import get_chunk_data_stream

from armillary.errors import ArmillaryError

__all__ = ["MAGIC", "LoggedMessage", "McapFile", "NoMcap", "ReadUpTo", "read_chunk", "read_records"]

MAGIC = b"\x89MCAP0\r\n"
_RECORD = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<BQHIQQ")  # opcode, length, channel, sequence, log time, publish time
_IN_MESSAGE = struct.Struct("<HIQQ")
_INDEX = struct.Struct("<BQHI")
_CRC = struct.Struct("<I")
_LARGEST = 1 << 30  # bytes of a chunk: more is no chunk, and no memory is taken for it
_OPCODES = {int(opcode) for opcode in Opcode}
_READ = {Opcode.HEADER: Header, Opcode.SCHEMA: Schema, Opcode.CHANNEL: Channel, Opcode.CHUNK: Chunk, Opcode.METADATA: Metadata}


class NoMcap(ArmillaryError):
    """A file that is no MCAP."""


@dataclass(frozen=True)
class LoggedMessage:
    """A message as it lies in a chunk: its channel's number, its time [ns], its bytes, and where in the chunk it begins."""

    channel: int
    time_ns: int
    data: bytes
    offset: int


@dataclass
class ReadUpTo:
    """How far a file could be read.

    Attributes:
        at: Where the record begins that was read last, or could not be [byte].
        finished: Whether the end of its records was reached.
        damaged: Whether what stands at `at` is no record, and not only the first part of one.
    """

    at: int = 0
    finished: bool = False
    damaged: bool = False


@dataclass
class _Open:
    """The chunk that is being filled: its bytes, and for each channel times and places of its messages in turn."""

    data: bytearray = field(default_factory=bytearray)
    index: dict[int, list[int]] = field(default_factory=dict)
    first: int = 0
    last: int = 0
    count: int = 0


class McapFile:
    """An MCAP that is being written, by a function that takes its bytes in order.

    Attributes:
        position: Bytes handed out.
    """

    def __init__(self, out: Callable[[bytes], None], *, profile: str = "ros2", library: str = "armillary") -> None:
        self._out = out
        self.position = 0
        self._open = _Open()
        self._compressor = zstandard.ZstdCompressor(level=1)
        self._schemas, self._channels = dict[int, Schema](), dict[int, Channel]()
        self._chunks, self._metadata = list[ChunkIndex](), list[MetadataIndex]()
        self._counts: dict[int, int] = {}
        self._times: list[tuple[int, int]] = []
        self._put(MAGIC + _bytes(Header(profile, library)))

    @property
    def pending(self) -> int:
        """Bytes that wait in the open chunk, before they are compressed."""
        return len(self._open.data)

    @property
    def chunks(self) -> int:
        """How many were handed out."""
        return len(self._chunks)

    def span_ns(self, first: int = 0) -> tuple[int, int] | None:
        """The earliest and the latest message of the chunks that were handed out, from the `first` on [ns]; None without any."""
        times = self._times[first:]
        return (min(begin for begin, _ in times), max(end for _, end in times)) if times else None

    def schema(self, name: str, text: str) -> int:
        """Make a type known; its number."""
        schema = Schema(id=len(self._schemas) + 1, name=name, encoding="ros2msg", data=text.encode())
        self.put(schema)
        return int(schema.id)

    def channel(self, topic: str, schema: int) -> int:
        """Make a topic known; its number."""
        channel = Channel(
            id=len(self._channels) + 1, topic=topic, message_encoding="cdr", schema_id=schema, metadata={}
        )  # fmt: skip
        self.put(channel)
        return int(channel.id)

    def put(self, record: Schema | Channel) -> None:
        """Hand out a schema or a channel that is made already."""
        self.know(record)
        self._put(_bytes(record))

    def know(self, record: Schema | Channel) -> None:
        """Remember a schema or a channel for the summary; it is in a chunk already."""
        if isinstance(record, Schema):
            self._schemas[record.id] = record
        else:
            self._channels[record.id] = record
            self._counts.setdefault(record.id, 0)

    def metadata(self, name: str, values: Mapping[str, str]) -> None:
        """What is to be known of the whole file."""
        data = _bytes(Metadata(name=name, metadata=dict(values)))
        self._metadata.append(MetadataIndex(offset=self.position, length=len(data), name=name))
        self._put(data)

    def message(self, channel: int, time_ns: int, data: bytes) -> None:
        """Add a message to the open chunk."""
        chunk = self._open
        times = chunk.index.get(channel)
        if times is None:
            times = chunk.index[channel] = []
        times.append(time_ns)
        times.append(len(chunk.data))
        sequence = self._counts[channel] + len(times) // 2 - 1
        if chunk.count == 0:
            chunk.first = chunk.last = time_ns
        elif time_ns > chunk.last:
            chunk.last = time_ns
        elif time_ns < chunk.first:
            chunk.first = time_ns
        chunk.count += 1
        chunk.data += _MESSAGE.pack(Opcode.MESSAGE, 22 + len(data), channel, sequence & 0xFFFFFFFF, time_ns, time_ns)
        chunk.data += data

    def close_chunk(self) -> None:
        """Compress the open chunk and hand it out, with its index, in one piece. Nothing where there is no message in it."""
        chunk = self._open
        if not chunk.count:
            return
        raw = bytes(chunk.data)
        record = Chunk(
            compression="zstd", data=self._compressor.compress(raw), message_start_time=chunk.first, message_end_time=chunk.last,
            uncompressed_crc=zlib.crc32(raw), uncompressed_size=len(raw),
        )  # fmt: skip
        self.put_chunk(record, chunk.index)
        self._open = _Open()

    def put_chunk(self, chunk: Chunk, index: Mapping[int, list[int]]) -> None:
        """Hand out a chunk that is made already.

        Args:
            index: Of each channel, the time and the place of each message in turn.
        """
        parts = [_bytes(chunk)]
        begin, length = self.position, len(parts[0])
        at, places = begin + length, {}
        for channel, pairs in index.items():
            places[channel] = at
            body = np.array(pairs, dtype="<u8").tobytes()
            parts.append(_INDEX.pack(Opcode.MESSAGE_INDEX, 6 + len(body), channel, len(body)) + body)
            at += len(parts[-1])
        self._put(b"".join(parts))
        self._chunks.append(
            ChunkIndex(
                chunk_length=length, chunk_start_offset=begin, compression=chunk.compression, compressed_size=len(chunk.data),
                message_end_time=chunk.message_end_time, message_index_length=at - begin - length, message_index_offsets=places,
                message_start_time=chunk.message_start_time, uncompressed_size=chunk.uncompressed_size,
            )
        )  # fmt: skip
        self._times.append((chunk.message_start_time, chunk.message_end_time))
        for channel, pairs in index.items():
            self._counts[channel] = self._counts.get(channel, 0) + len(pairs) // 2

    def finish(self) -> None:
        """Close the chunk, and hand out what makes the file quick to search: index, statistics, footer."""
        self.close_chunk()
        end = _bytes(DataEnd(0))
        start = self.position + len(end)
        counts = {channel: count for channel, count in self._counts.items() if count}
        statistics = Statistics(
            attachment_count=0, channel_count=len(self._channels), channel_message_counts=counts, chunk_count=len(self._chunks),
            message_count=sum(counts.values()), metadata_count=len(self._metadata), schema_count=len(self._schemas),
            message_start_time=min((first for first, _ in self._times), default=0),
            message_end_time=max((last for _, last in self._times), default=0),
        )  # fmt: skip
        groups: list[tuple[Opcode, list[McapRecord]]] = [
            (Opcode.SCHEMA, list(self._schemas.values())), (Opcode.CHANNEL, list(self._channels.values())),
            (Opcode.STATISTICS, [statistics]), (Opcode.CHUNK_INDEX, list(self._chunks)),
            (Opcode.METADATA_INDEX, list(self._metadata)),
        ]  # fmt: skip
        summary, offsets = b"", b""
        for opcode, records in groups:
            data = b"".join(map(_bytes, records))
            if data:
                offsets += _bytes(SummaryOffset(group_opcode=opcode, group_start=start + len(summary), group_length=len(data)))
            summary += data
        # The checksum covers the summary and the footer up to itself.
        footer = _bytes(Footer(summary_start=start, summary_offset_start=start + len(summary), summary_crc=0))[: -_CRC.size]
        checksum = zlib.crc32(summary + offsets + footer)
        self._put(end + summary + offsets + footer + _CRC.pack(checksum) + MAGIC)

    def _put(self, data: bytes) -> None:
        self._out(data)
        self.position += len(data)


def _bytes(record: McapRecord) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return bytes(builder.end())


def read_records(data: memoryview, up_to: ReadUpTo | None = None) -> Iterator[McapRecord]:
    """The header, schemas, channels, chunks and metadata of a file in order, as far as they are whole.

    Ends silently where the file was cut off, or where what follows is damaged.

    Args:
        up_to: Told how far it came.

    Raises:
        NoMcap: It does not begin as an MCAP does.
    """
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise NoMcap("it does not begin as an MCAP file does")
    at, place = len(MAGIC), up_to or ReadUpTo()
    ended = data[-len(MAGIC) :] == MAGIC  # by its writer: a record that goes beyond the end is no first part of one
    place.at = at
    while at + _RECORD.size <= len(data):
        opcode, length = _RECORD.unpack_from(data, at)
        place.at = at
        at += _RECORD.size
        if length > len(data) - at or opcode in (0, Opcode.DATA_END, Opcode.FOOTER):
            place.finished = opcode in (Opcode.DATA_END, Opcode.FOOTER) and length <= len(data) - at
            place.damaged = not place.finished and (ended or opcode not in _OPCODES)
            return
        kind = _READ.get(opcode)
        if kind is not None:
            try:
                yield kind.read(ReadDataStream(BytesIO(data[at : at + length])))
            except Exception:  # whatever `mcap` makes of bytes that are no record: here the file ends
                place.damaged = True
                return
        at += length
    place.at, place.damaged = at, ended


def read_chunk(chunk: Chunk) -> Iterator[Schema | Channel | LoggedMessage]:
    """What is in a chunk.

    Raises:
        NoMcap: It is damaged.
    """
    if chunk.uncompressed_size > _LARGEST:
        raise NoMcap(f"a chunk says that it has {chunk.uncompressed_size} bytes")
    try:
        stream, length = get_chunk_data_stream(chunk, validate_crc=True)
        data = stream.read(length)
        at = 0
        while at < length:
            opcode, size = _RECORD.unpack_from(data, at)
            begin, end = at + _RECORD.size, at + _RECORD.size + size
            if end > length:
                raise ValueError("a record goes beyond its end")
            if opcode == Opcode.MESSAGE:
                channel, _, time_ns, _ = _IN_MESSAGE.unpack_from(data, begin)
                yield LoggedMessage(channel, time_ns, data[begin + _IN_MESSAGE.size : end], at)
            elif opcode in (Opcode.SCHEMA, Opcode.CHANNEL):
                yield _READ[opcode].read(ReadDataStream(BytesIO(data[begin:end])))
            at = end
    except Exception as error:  # `mcap` and its decompressors each have their own kind
        raise NoMcap(f"a chunk is damaged: {error}") from None
