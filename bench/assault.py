"""Who asks and sends to a server all at once. Each role is a process of its own, so that one does not slow down another."""
import collections, ctypes, http.client, json, multiprocessing, os, random, selectors, signal, socket, threading, time, traceback, urllib.parse
from malformed import Malformed, field, varint

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
OFF_CPU = "off_cpu:time:nanoseconds::"
LARGEST_ID = 10_000_000  # a sample of less is a push's id
PUSHERS, ASKERS, SENDERS, IDLE = 4, 8, 12, 2_500
PR_SET_PDEATHSIG = 1
FORKS = multiprocessing.get_context("fork")


class Answers:
    """What came back, and what must not come back: 5xx, but for 503 that says when to come again."""

    def __init__(self):
        self.statuses, self.bad, self.lock = collections.Counter(), [], threading.Lock()

    def add(self, status, again, request):
        with self.lock:
            self.statuses[status] += 1
            if isinstance(status, int) and status >= 500 and not (status == 503 and again):
                self.bad.append((status, request() if len(self.bad) < 20 else b""))

    def report(self):
        return {"statuses": dict(self.statuses), "bad": self.bad}


class Role:
    """A process that does one thing until it is told to stop, and then reports a dictionary."""

    def __init__(self, act, port, *more):
        self.name, self.stop, self.answer = act.__name__, FORKS.Event(), {}
        self.pipe, theirs = FORKS.Pipe(False)
        self.process = FORKS.Process(target=self._run, args=(act, theirs, port, *more), daemon=True)
        self.process.start()
        theirs.close()

    def _run(self, act, pipe, *more):
        os.setsid()  # the kernel shares the CPUs out by sessions, so that no role starves another
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this says when it is over
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        try:
            pipe.send(act(self.stop, *more))
        except Exception:
            pipe.send({"failed": traceback.format_exc()})

    def end(self, patience=60):
        self.stop.set()
        if self.pipe.poll(patience):
            self.answer = self.pipe.recv()
        else:
            self.answer = {"failed": f"did not end within {patience} s"}
        self.process.join(5)
        self.process.kill()
        return self.answer


def in_threads(count, act):
    threads = [threading.Thread(target=act, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ask(port, method, path, body=None, headers=None, limit=90):
    """(status, whether it says when to come again, body), on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=limit)
    try:
        connection.request(method, path, body, {**(headers or {}), "Host": "localhost"})
        answer = connection.getresponse()
        return answer.status, bool(answer.getheader("Retry-After")), answer.read()
    finally:
        connection.close()


def profile(identity, nanos, others):
    """pprof with two kinds of samples: one whose value is the push's id, and a few that make it look real."""
    return others + field(2, field(1, 1) + field(2, identity)) + field(9, nanos)


def other_samples(seed, functions=200, samples=20):
    rng = random.Random(seed)
    names = ["", "cpu", "nanoseconds", "siege_id"] + [f"function_{n}" for n in range(functions)]
    out = field(1, field(1, 1) + field(2, 2)) + field(11, field(1, 1) + field(2, 2)) + field(12, LARGEST_ID)
    for name in names:
        out += field(6, name.encode())
    for n in range(functions + 1):
        out += field(5, field(1, n + 1) + field(2, n + 3)) + field(4, field(1, n + 1) + field(4, field(1, n + 1)))
    for _ in range(samples):
        places = b"".join(varint(rng.randrange(2, functions + 2)) for _ in range(10))
        out += field(2, field(1, places) + field(2, varint(LARGEST_ID * rng.randrange(1, 5))))
    return out


def pushes(stop, port):
    """Pushes as fast as they are taken; what was acknowledged, refused, not answered, by connection."""
    answers, told = Answers(), [{"sent": 0, "refused": set(), "unknown": set()} for _ in range(PUSHERS)]

    def push(number):
        mine, others, connection = told[number], other_samples(number), None
        while not stop.is_set():
            mine["sent"] += 1
            identity = mine["sent"]
            body = profile(identity, time.time_ns(), others)
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request("POST", f"/ingest?name=siege{number}&format=pprof", body, {"Host": "localhost"})
                answer = connection.getresponse()
                answer.read()
                answers.add(answer.status, answer.getheader("Retry-After"), lambda: body)
                if answer.status != 200:
                    mine["refused"].add(identity)
                    stop.wait(0.2)
            except (OSError, http.client.HTTPException) as e:
                answers.add(type(e).__name__, False, None)
                mine["unknown"].add(identity)
                connection.close()
                connection = None
                stop.wait(0.2)

    in_threads(PUSHERS, push)
    return {**answers.report(), "pushes": told}


def heavy_questions():
    to = int(time.time() * 1000) + 60_000
    begin = to - 86_400_000
    everything = {"from": begin, "to": to}
    for type in CPU, OFF_CPU:
        for what, more in (("tree", {"keep": 0, "width": 20_000}), ("table", {"limit": 100_000}), ("heatmap", {"columns": 2_000, "rows": 100}),
                           ("timeline", {"by": "pid", "limit": 100, "step": 1_000}), ("processes", {"limit": 10_000}), ("source", {}),
                           ("export", {"format": "pprof"}), ("export", {"format": "html"}), ("export", {"format": "folded"}),
                           ("export", {"format": "plumb"}), ("sandwich", {"function": "main"})):
            yield "GET", f"/api/{what}?" + urllib.parse.urlencode({"type": type, **everything, **more}), None
        whole = {"profile_typeID": type, "label_selector": "{}", "start": begin, "end": to}
        for method, more in (("SelectMergeStacktraces", {"max_nodes": 1_000_000}), ("SelectMergeProfile", {}),
                             ("SelectSeries", {"step": 1, "group_by": ["pid"]})):
            yield "POST", "/querier.v1.QuerierService/" + method, json.dumps({**whole, **more})
    for what in "threads", "cpus":
        yield "GET", f"/api/{what}?" + urllib.parse.urlencode({**everything, "limit": 1000}), None


def heavy(stop, port):
    """Asks for all that is stored, eight at a time, as much as may be asked for."""
    answers, slowest, lock = Answers(), {}, threading.Lock()

    def asker(number):
        rng = random.Random(number)
        while not stop.is_set():
            method, path, body = rng.choice(list(heavy_questions()))
            begin = time.monotonic()
            try:
                status, again, _ = ask(port, method, path, body, {"Content-Type": "application/json"} if body else {}, limit=300)
                answers.add(status, again, lambda: f"{method} {path} {body or ''}".encode())
            except (OSError, http.client.HTTPException) as e:
                answers.add(type(e).__name__, False, None)
                stop.wait(0.5)
            with lock:
                name = path.split("?")[0] + (" " + path[path.index("format="):] if "format=" in path else "")
                slowest[name] = max(slowest.get(name, 0), time.monotonic() - begin)

    in_threads(ASKERS, asker)
    return {**answers.report(), "slowest": sorted(slowest.items(), key=lambda i: -i[1])[:5]}


def light(stop, port):
    """Two small questions in turns, five times a second: latencies, and when there was no answer."""
    answers, took, missed, connection = Answers(), {"/ready": [], "/api/state": []}, [], None
    while not stop.wait(0.1):
        for path, latencies in took.items():
            begin = time.monotonic()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("GET", path, headers={"Host": "localhost"})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    latencies.append(time.monotonic() - begin)
                else:
                    missed.append((begin, f"{path}: {answer.status}"))
                if path != "/ready":  # whose 503 says that it is not ready
                    answers.add(answer.status, answer.getheader("Retry-After"), lambda: b"GET " + path.encode())
            except (OSError, http.client.HTTPException) as e:
                missed.append((begin, f"{path}: {type(e).__name__}: {e}"))
                connection.close()
                connection = None
    return {**answers.report(), "took": took, "missed": missed}


def malformed(stop, port, count, seconds):
    """Sends them at an even pace. One in a hundred is a slow body, a byte each second."""
    answers, sent, lock, begin = Answers(), collections.Counter(), threading.Lock(), time.monotonic()

    def send(number):
        rng = random.Random(number)
        source = Malformed(rng, profile(1, 1, other_samples(1)))
        slow, due = [], begin + rng.random()
        while not stop.is_set() and due < begin + seconds:
            stop.wait(max(0, due - time.monotonic()))
            due += seconds * SENDERS / count
            kind, data = ("slow", source.slow()) if rng.random() < 0.01 else source.next()
            sock = connected(stop, port, answers)
            if not sock:
                break
            with lock:
                sent[kind] += 1
            try:
                if kind == "slow":
                    slow.append((sock, time.monotonic() + rng.randrange(2, 20)))
                else:
                    exchange(sock, data, answers, kind)
            except OSError as e:
                answers.add(type(e).__name__, False, None)
            slow = drip(slow)
        for sock, _ in slow:
            sock.close()

    in_threads(SENDERS, send)
    return {**answers.report(), "sent": dict(sent)}


def connected(stop, port, answers):
    """A connection, as soon as there is somebody to take it; None when it is over."""
    while not stop.is_set():
        try:
            return socket.create_connection(("127.0.0.1", port), 10)
        except OSError as e:
            answers.add(type(e).__name__, False, None)
            stop.wait(0.5)
    return None


def drip(slow):
    """A byte for each slow body; those whose time is over are closed."""
    left = []
    for sock, until in slow:
        try:
            sock.send(b"a")
            if time.monotonic() < until:
                left.append((sock, until))
                continue
        except OSError:
            pass
        sock.close()
    return left


def exchange(sock, data, answers, kind):
    """Sends what is said to be a request, and reads the head of the answer."""
    with sock:
        sock.settimeout(15)
        try:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused in the middle: the answer may be there all the same
        head = b""
        try:
            while b"\r\n\r\n" not in head and len(head) < 20_000:
                more = sock.recv(4096)
                if not more:
                    break
                head += more
        except OSError as e:
            answers.add(f"{kind}: {type(e).__name__}", False, None)
            return
        words = head.split(b" ", 2)
        if len(words) > 2 and words[0].startswith(b"HTTP/1") and words[1].isdigit():
            answers.add(int(words[1]), b"\r\nretry-after:" in head.lower(), lambda: data)
        else:
            answers.add("closed" if not head else "not HTTP", False, None)


def idle(stop, port):
    """Holds connections that say nothing; those that are closed are opened again, up to 100 each second."""
    held, opened, most = selectors.DefaultSelector(), 0, 0
    while not stop.is_set():
        for _ in range(min(20, IDLE - len(held.get_map()))):
            sock = socket.socket()
            sock.settimeout(2)
            try:
                sock.connect(("127.0.0.1", port))
                held.register(sock, selectors.EVENT_READ)
                opened += 1
            except OSError:
                sock.close()
                break
        stop.wait(0.2)
        most = max(most, len(held.get_map()))
        for key, _ in held.select(0):
            held.unregister(key.fileobj)
            key.fileobj.close()
    return {"opened": opened, "most": most}
