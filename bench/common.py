"""What the benchmarks share: paths, running things, medians."""
import atexit, os, shutil, signal, statistics, subprocess, sys, tempfile, time

HOME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUMB = os.path.join(HOME, "plumb")
TARGETS = os.path.join(HOME, "src/test/targets")
TOOLS = os.path.expanduser("~/.cache/plumb-tools/bin")
os.environ["PATH"] += os.pathsep + os.pathsep.join([TOOLS, "/usr/sbin"])
WORK = tempfile.mkdtemp(prefix="plumb-bench-")
atexit.register(shutil.rmtree, WORK, ignore_errors=True)
LIMIT = 600  # seconds that a command may take which ends by itself
# A shell that starts us in the background lets us ignore SIGINT, and so would all that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)


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


def run(command, **more):
    """Runs a command that has to end, and with success."""
    return subprocess.run(command, **{"check": True, "timeout": LIMIT, **more})


def stop(process, number=signal.SIGINT, patience=60):
    """Asks a process to end; one that takes too long is killed, and the benchmark goes on."""
    process.send_signal(number)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        print(f"{process.args[0]} did not end within {patience} s and was killed", file=sys.stderr)
        kill(process)


def kill(*processes):
    for process in processes:
        process.kill()
    for process in processes:
        process.wait()


def usage(process, limit=LIMIT):
    """Waits for the end; the exit code and what it used."""
    end = time.monotonic() + limit
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used
        if time.monotonic() > end:
            print(f"{process.args[0]} did not end within {limit} s and was killed", file=sys.stderr)
            os.kill(process.pid, signal.SIGKILL)
            end += 3600
        time.sleep(0.01)
