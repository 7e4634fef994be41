"""What the benchmarks share: paths, running things, medians."""
import atexit, os, shutil, statistics, subprocess, sys, tempfile, time

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUMB = os.path.join(HOME, "plumb")
TARGETS = os.path.join(HOME, "src/test/targets")
TOOLS = os.path.expanduser("~/.cache/plumb-tools/bin")
os.environ["PATH"] += os.pathsep + os.pathsep.join([TOOLS, "/usr/sbin"])
WORK = tempfile.mkdtemp(prefix="plumb-bench-")
atexit.register(shutil.rmtree, WORK, ignore_errors=True)


def compile_target(name, *flags):
    """Compiles a C target with frame pointers; returns its path."""
    out = os.path.join(WORK, "".join([name, *flags]))
    subprocess.run(
        ["gcc", "-O2", "-g", "-pthread", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
         *flags, os.path.join(TARGETS, name + ".c"), "-o", out], check=True)
    return out


def need(*commands):
    missing = [c for c in commands if not shutil.which(c)]
    if os.geteuid() != 0:
        sys.exit("bench: run as root")
    if missing:
        sys.exit("bench: install first: " + ", ".join(missing))


def median(values):
    return statistics.median(values)


def cpu_seconds(pid):
    """By the process's own clock."""
    return time.clock_gettime(~pid << 3 | 2)


def memory_mb(pid, field):
    """VmRSS or VmHWM."""
    return next(int(line.split()[1]) for line in open(f"/proc/{pid}/status") if line.startswith(field)) / 1024


def quiet(command, **more):
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
