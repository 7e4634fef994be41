"""A busy machine: a tree that compiles, a JVM, PostgreSQL under pgbench, and process starts.

Each load runs below timeout(1) in a process group of its own, so that it ends even if the benchmark is killed.
"""
import atexit, glob, os, random, shutil, signal, socket, subprocess, sys, tempfile, time
from common import HOME, WORK, compile_target, quiet, run

STARTS_PER_SECOND = 200
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # ends what was started, as Ctrl-C does

CHURN = """
import java.util.*;

/** Allocates and computes on one thread, until it is ended. */
class Churn {
  record Point(double x, double y) {}

  static double length(List<Point> points) {
    return points.stream().mapToDouble(p -> Math.sqrt(p.x() * p.x() + p.y() * p.y())).sum();
  }

  static Map<String, Integer> count(Random random) {
    Map<String, Integer> counts = new TreeMap<>();
    for (int i = 0; i < 5_000; i++) {
      counts.merge("key" + random.nextInt(2_000), 1, Integer::sum);
    }
    return counts;
  }

  public static void main(String[] arguments) {
    Random random = new Random(1);
    double sink = 0;
    while (sink >= 0) {
      List<Point> points = new ArrayList<>();
      for (int i = 0; i < 20_000; i++) {
        points.add(new Point(random.nextDouble(), random.nextDouble()));
      }
      sink += length(points) + count(random).size();
    }
  }
}
"""


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def java_home():
    return run([HOME + "/scripts/java-home"], capture_output=True, text=True).stdout.strip()


def tree(folder, files=12, functions=150):
    """C files that take a compiler some seconds."""
    os.makedirs(folder)
    numbers = random.Random(7)
    for file in range(files):
        with open(f"{folder}/part{file}.c", "w") as out:
            for function in range(functions):
                terms = "".join(f"\tfor (int i = 0; i < n; i++)\n\t\tx[i] = x[i] * {numbers.randrange(99)} + x[(i + {k}) % n];\n"
                                for k in range(4))
                out.write(f"long f{file}_{function}(long *x, int n)\n{{\n{terms}\treturn x[n / 2];\n}}\n")


class Postgres:
    """A cluster of its own, in a folder that is thrown away."""

    def __init__(self, seconds):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not found:
            print("installing PostgreSQL…", flush=True)
            run(["apt-get", "install", "-y", "-q", "postgresql"], stdout=subprocess.DEVNULL)
            found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        self.programs, self.port = found[-1], free_port()
        self.folder = tempfile.mkdtemp(prefix="plumb-bench-pg-")  # not in WORK, which only root may enter
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.chown(self.folder, "postgres", "postgres")
        data = self.folder + "/data"
        self._run("initdb", "-D", data, "-A", "trust", "-N")
        self.server = quiet(["timeout", str(seconds), *self._as_postgres("postgres"), "-D", data, "-p", str(self.port), "-k", self.folder,
                             "-c", "listen_addresses=127.0.0.1", "-F"], start_new_session=True)
        try:
            end = time.monotonic() + 60
            while subprocess.run([self.programs + "/pg_isready", "-q", *self._where()]).returncode:
                if time.monotonic() > end:
                    sys.exit("bench: PostgreSQL does not start")
                time.sleep(0.2)
            self._run("pgbench", *self._where(), "-i", "-q", "-s", "5", "postgres")
        except BaseException:
            self.close()
            raise
        self.client = quiet(["timeout", str(seconds), *self._as_postgres("pgbench"), *self._where(), "-c", "4", "-T", str(seconds), "postgres"],
                            start_new_session=True)

    def _where(self):
        return ["-h", self.folder, "-p", str(self.port)]

    def _as_postgres(self, program):
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", f"{self.programs}/{program}"]

    def _run(self, program, *words):
        run([*self._as_postgres(program), *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def backend(self):
        """The process of one of pgbench's connections."""
        return int(run([*self._as_postgres("psql"), *self._where(), "-X", "-A", "-t", "-c",
                        "SELECT pid FROM pg_stat_activity WHERE application_name = 'pgbench' LIMIT 1", "postgres"],
                       cwd=self.folder, capture_output=True, text=True).stdout)

    def close(self):
        for process in getattr(self, "client", None), self.server:
            if process:
                end_group(process, signal.SIGINT)  # PostgreSQL's fast shutdown
        shutil.rmtree(self.folder, ignore_errors=True)


def end_group(process, number=signal.SIGTERM):
    """Ends a process and all in its group."""
    for attempt in number, signal.SIGKILL:
        try:
            os.killpg(process.pid, attempt)
            process.wait(10)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


class Loads:
    """All of them, as long as this is open."""

    def __init__(self, seconds):
        seconds = int(seconds)
        self.processes, self.postgres = [], None
        folder = WORK + "/tree"
        tree(folder)
        with open(WORK + "/Churn.java", "w") as out:
            out.write(CHURN)
        try:
            for worker in "01":
                script = f'while :; do for f in {folder}/*.c; do gcc -O2 -c "$f" -o {folder}/{worker}.o; done; done'
                self._start(seconds, "sh", "-c", script)
            self._start(seconds, java_home() + "/bin/java", "-Xmx256m", WORK + "/Churn.java")
            self._start(seconds, compile_target("spawnstorm"), str(STARTS_PER_SECOND), str(seconds))
            self.postgres = Postgres(seconds)
        except BaseException:
            self.close()
            raise

    def _start(self, seconds, *command):
        self.processes.append(quiet(["timeout", str(seconds), *command], start_new_session=True, env={**os.environ, "TMPDIR": WORK}))

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    def close(self):
        for process in self.processes:
            end_group(process)
        if self.postgres:
            self.postgres.close()
        self.processes, self.postgres = [], None
