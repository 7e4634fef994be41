"""Requests that no good client sends: random protobuf, JSON, lengths, bombs, slow bodies, no HTTP at all."""
import gzip, json

RPC = ["querier.v1.QuerierService/" + name for name in (
    "ProfileTypes", "LabelNames", "LabelValues", "Series", "SelectSeries", "SelectMergeStacktraces", "SelectMergeProfile",
    "SelectHeatmap", "Diff", "GetProfileStats", "AnalyzeQuery", "SelectMergeSpanProfile")] + [
    "push.v1.PusherService/Push", "opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export", "v1development/profiles"]
API = "state labels timeline heatmap tree table sandwich diff threads cpus processes quality source export".split()
PARAMETERS = "type from to query slice by step limit columns rows width keep near ends function module compare from2 to2 sort file format view x k r m".split()
FORMATS = ["", "folded", "lines", "trie", "tree", "pprof", "jfr", "speedscope", "nonsense"]
VALUES = ["", "-1", "0", "1e999", "NaN", "9" * 30, "null", "%00", "%ff%fe", "{", "{comm=~%22((a*)*)*b%22}", "{a=%22b%22" + ",a=%22b%22" * 300 + "}",
          "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "off_cpu:time:nanoseconds::", "now-1h", "now%2b9999999999h", "../../etc/passwd", "a" * 3000]
FIELDS = ["profile_typeID", "label_selector", "start", "end", "max_nodes", "step", "group_by", "name", "matchers", "left", "right", "format", "series"]


def http(method, path, body=b"", headers=(), length=None):
    head = f"{method} /{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body) if length is None else length}\r\n"
    return (head + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n").encode("latin-1") + body


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, value):
    """Of a protobuf message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


class Malformed:
    """Makes them at random; `good` is a profile to make bad ones from."""

    def __init__(self, rng, good):
        self.rng, self.good = rng, good
        zeros = gzip.compress(bytes(64 << 20))
        folded = b";".join([b"f"] * 200_000) + b" 1\n"
        self.bombs = [
            ("ingest?name=bomb&format=pprof", zeros, [("Content-Encoding", "gzip")]),
            ("ingest?name=bomb&format=pprof", zeros, []),
            ("ingest?name=bomb", zeros, []),
            ("ingest?name=bomb", gzip.compress(zeros), [("Content-Encoding", "gzip")]),
            ("ingest?name=bomb", folded, []),
            ("ingest?name=bomb&format=pprof", field(2, b"") * 1_000_000, []),
            ("ingest?name=bomb&format=pprof", field(6, b"x") * 500_000, []),
            (RPC[5], b"[" * 500_000, [("Content-Type", "application/json")]),
            (RPC[5], b'{"label_selector":"' + b"{" * 500_000 + b'"}', [("Content-Type", "application/json")]),
            (RPC[12], field(1, field(1, field(1, b"a") + field(2, b"b"))) * 100_000, [("Content-Type", "application/proto")]),
            (RPC[14], field(1, field(2, b"")) * 300_000, [("Content-Type", "application/x-protobuf")]),
            (RPC[12], zeros, [("Content-Type", "application/proto"), ("Content-Encoding", "gzip")]),
        ]
        self.kinds = [self.protobuf] * 6 + [self.mutant] * 6 + [self.text] * 4 + [self.parameters] * 4 + [self.lengths] * 4 + [self.noise] * 3 + [
            self.long] + [self.bomb]

    def next(self):
        """(name of its kind, bytes)."""
        kind = self.rng.choice(self.kinds)
        return kind.__name__, kind()

    def random_message(self, depth=0):
        out = b""
        for _ in range(self.rng.randrange(6)):
            number = self.rng.randrange(1, 20)
            what = self.rng.randrange(5 if depth < 4 else 4)
            if what == 0:
                out += field(number, self.rng.getrandbits(self.rng.randrange(1, 64)))
            elif what == 1:
                out += field(number, self.rng.randbytes(self.rng.randrange(40)))
            elif what == 2:  # a length that lies
                out += varint(number << 3 | 2) + varint(self.rng.getrandbits(self.rng.randrange(1, 64))) + b"x"
            elif what == 3:
                out += self.rng.randbytes(self.rng.randrange(20))
            else:
                out += field(number, self.random_message(depth + 1))
        return out

    def protobuf(self):
        packed = self.rng.random() < 0.1
        body = self.random_message() if self.rng.random() < 0.8 else self.rng.randbytes(self.rng.randrange(2000))
        headers = [("Content-Type", self.rng.choice(["application/proto", "application/x-protobuf", "application/grpc", "text/plain"]))]
        return http("POST", self.rng.choice(RPC), body, headers + ([("Content-Encoding", "gzip")] if packed else []))

    def mutant(self):
        body = bytearray(self.good)
        for _ in range(self.rng.randrange(1, 8)):
            body[self.rng.randrange(len(body))] = self.rng.randrange(256)
        body = bytes(body[:self.rng.randrange(len(body))] if self.rng.random() < 0.3 else body)
        if self.rng.random() < 0.3:
            series = field(1, field(1, field(1, b"service_name") + field(2, b"mutant")) + field(2, field(1, body)))
            return http("POST", RPC[12], series, [("Content-Type", "application/proto")])
        return http("POST", f"ingest?name=mutant&format={self.rng.choice(FORMATS)}", body)

    def random_value(self, depth=0):
        what = self.rng.randrange(7 if depth < 5 else 5)
        return (None if what == 0 else self.rng.random() < 0.5 if what == 1 else self.rng.getrandbits(self.rng.randrange(1, 80)) if what == 2
                else self.rng.choice(["", "{}", '{a="b"}', "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "\u0000", "x" * 500]) if what == 3
                else -self.rng.random() * 1e300 if what == 4 else [self.random_value(depth + 1) for _ in range(self.rng.randrange(4))] if what == 5
                else {self.rng.choice(FIELDS): self.random_value(depth + 1) for _ in range(self.rng.randrange(5))})

    def text(self):
        body = json.dumps({self.rng.choice(FIELDS): self.random_value() for _ in range(5)}).encode()
        if self.rng.random() < 0.3:
            body = body[:self.rng.randrange(len(body))]
        return http("POST", self.rng.choice(RPC), body, [("Content-Type", "application/json")])

    def parameters(self):
        words = "&".join(f"{self.rng.choice(PARAMETERS)}={self.rng.choice(VALUES)}" for _ in range(self.rng.randrange(6)))
        place = self.rng.choice(["api/" + self.rng.choice(API), "pyroscope/render", "pyroscope/render-diff", "debug/pprof/profile"])
        if "debug" in place:
            words = "seconds=" + self.rng.choice(["-1", "x", "99999999999"])
        return http("GET", f"{place}?{words}")

    def lengths(self):
        body = self.rng.randbytes(self.rng.randrange(200))
        what = self.rng.randrange(6)
        if what < 4:
            return http("POST", "ingest?name=lengths", body, length=[len(body) + 1000, "-5", "abc", "9" * 20][what])
        if what == 4:
            return http("POST", "ingest?name=lengths", body, [("Content-Length", "7")])
        chunk = self.rng.choice([b"ffffffffffffffff\r\nx", b"-1\r\nx", b"zz\r\n", b"5\r\nhelloXX", b"3;" + b"a" * 5000])
        return b"POST /ingest?name=lengths HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk

    def noise(self):
        what = self.rng.randrange(5)
        if what == 0:
            return self.rng.randbytes(self.rng.randrange(1, 500)) + b"\r\n\r\n"
        if what == 1:
            return b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + self.rng.randbytes(300)
        if what == 2:
            return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.rng.randbytes(self.rng.randrange(200))
        if what == 3:
            return f"{self.rng.choice(['BREW', 'get', 'CONNECT', 'TRACE', 'PUT', ''])} {self.rng.choice(['/', '*', '//', '/%zz', 'http://x/', '/a/../../b'])} HTTP/{self.rng.choice(['1.1', '1.0', '9.9', 'x'])}\r\nHost: localhost\r\n\r\n".encode()
        return b"GET /api/state HTTP/1.1\r\n" + self.rng.choice([b"", b"Host: evil.example\r\n", b"Host: localhost\r\n bad\r\n", b"Host: localhost\r\nA\x00: b\r\n"]) + b"\r\n"

    def long(self):
        if self.rng.random() < 0.5:
            return http("GET", "api/state?" + "a" * 70_000)
        return http("GET", "api/state", headers=[(f"X-{i}", "v" * 500) for i in range(200)])

    def bomb(self):
        path, body, headers = self.rng.choice(self.bombs)
        return http("POST", path, body, headers)

    def slow(self):
        """The beginning of a request whose body never comes in full."""
        return http("POST", "ingest?name=slow", b"a", length=100_000)
