"""What the tests of `allot run` share: a folder with a configuration, processes that never outlive the test, TAP."""

import atexit
import fcntl
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ALLOT = os.path.join(BUILD, "allot")
HOLD = os.path.join(BUILD, "tests", "hold_replicas")
PATIENCE_S = 30
F_OFD_SETLK = 37  # the standard library has no name for it
# What a line of the event log has beside what `allot simulate` prints and reads.
STAMP = ("n", "time", "engine", "pid", "owner", "start", "process", "process_start")


def say(*lines):
    for line in lines:
        print("# " + str(line).replace("\n", "\n# "))
    sys.stdout.flush()


class Tap:
    """Counts and prints; a test is a sentence, and what is wrong with it."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def verdict(self, sentence, *problems):
        self.count += 1
        problems = [problem for problem in problems if problem]
        print(f"{'not ok' if problems else 'ok'} {self.count} - {sentence}")
        if problems:
            self.failed += 1
            say(*problems)
        sys.stdout.flush()

    def skip(self, sentence, why):
        self.count += 1
        print(f"ok {self.count} - {sentence} # SKIP {why}", flush=True)

    def trial(self, function):
        """A function whose docstring is its sentence; it returns its problems, or raises."""
        sentence = function.__doc__.strip()
        try:
            problems = function()
        except Skipped as skipped:
            self.skip(sentence, str(skipped))
            return
        except Exception as error:  # a test that breaks is a test that fails; the next one still runs
            problems = f"{type(error).__name__}: {error}"
        self.verdict(sentence, *([problems] if isinstance(problems, str) else problems or []))

    def end(self):
        print(f"1..{self.count}", flush=True)
        sys.exit(1 if self.failed else 0)


class Skipped(Exception):
    pass


def differs(what, got, wanted):
    return "" if got == wanted else f"{what}: {got!r} instead of {wanted!r}"


class World:
    """One node: a configuration, a ledger and an event log in a folder of their own."""

    def __init__(self, gpus, queues="", group=""):
        self.folder = tempfile.mkdtemp(prefix="allot-test-")
        os.chmod(self.folder, 0o755)
        self.children = []
        self.config = self.path("config.toml")
        self.ledger = self.path("ledger")
        self.events = self.path("events.jsonl")
        worlds.append(self)
        self.configure(gpus, queues, group)

    def path(self, name):
        return os.path.join(self.folder, name)

    def configure(self, gpus, queues="", group=""):
        devices = "".join(
            f'[[gpu.device]]\nuuid = "{uuid}"\nminor = {minor}\nreplicas = {replicas}\n'
            for minor, (uuid, replicas) in enumerate(gpus)
        )
        with open(self.config + ".new", "w") as file:
            file.write(
                f'[gpu]\nsource = "config"\n{devices}[capacity]\ncpu = "off"\nmem = "off"\n'
                f'[admission]\nmax_wait = "90s"\n{queues}\n[ledger]\ndir = "{self.ledger}"\ngroup = "{group}"\n'
                f'[log]\nevents = "{self.events}"\n'
            )
        os.chmod(self.config + ".new", 0o644)
        os.rename(self.config + ".new", self.config)

    # --- processes ---

    def environment(self, **more):
        return {**os.environ, "ALLOT_CONFIG": self.config, "LC_ALL": "C", **more}

    def allot(self, *words, env=None, **options):
        """Runs allot to its end; it must not take long."""
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(
            [ALLOT, *map(str, words)],
            env=env or self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_S,
            **options,
        )

    def start(self, *words, **options):
        """Starts allot; the world ends it at the latest when it ends itself. No job here has children."""
        for name in ("stdin", "stdout", "stderr"):
            options.setdefault(name, subprocess.DEVNULL if name == "stdin" else subprocess.PIPE)
        child = subprocess.Popen(
            [ALLOT, *map(str, words)], env=options.pop("env", None) or self.environment(), text=True, **options
        )
        self.children.append(child)
        return child

    def hold(self, count, *words, ms=60000):
        """A job that holds `count` replicas, and really has them when this returns."""
        child = self.start("run", "--replicas", count, *words, "--", HOLD, self.folder, count, ms)
        until(lambda: self.is_held(child) or child.poll() is not None, "the job starts")
        if child.poll() is not None:
            raise AssertionError(f"the holder ended with {child.returncode}: {child.stderr.read()}")
        return child

    def is_held(self, child):
        return any(line.split()[0] == str(child.pid) for line in self.lines("jobs"))

    def wait_in_line(self, *words, job=None, **options):
        """A request that waits, and is in the line when this returns."""
        child = self.start("run", *words, "--", *(job or ["true"]), **options)
        until(lambda: self.has_waiter(child) or child.poll() is not None, "the request waits")
        return child

    # --- what is seen ---

    def lines(self, name):
        try:
            with open(self.path(name)) as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def status(self):
        done = self.allot("status", "--json")
        if done.returncode != 0:
            raise AssertionError(f"status ended with {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def has_waiter(self, child):
        return any(waiter["pid"] == child.pid for waiter in self.status()["waiters"])

    def has_grant(self, child):
        return any(grant["pid"] == child.pid for grant in self.status()["grants"])

    def id_of(self, child):
        status = self.status()
        return next(r["id"] for r in status["grants"] + status["waiters"] if r["pid"] == child.pid)

    def empty(self):
        """What is left in the ledger, as a problem."""
        status = self.status()
        left = [record["id"] for record in status["grants"] + status["waiters"]]
        return f"still in the ledger: {left}" if left else ""

    def log_lines(self, skip_bytes=0):
        """The lines of the event log, read; a line that is no JSON is an error."""
        with open(self.events, "rb") as file:
            file.seek(skip_bytes)
            return [json.loads(line) for line in file.read().splitlines()]

    def log_leniently(self):
        """The lines of the event log as its readers must take them, and the number of pieces in it: a piece of a line,
        left by a write that SIGKILL cut short, is none, and a line that is there twice counts once."""
        lines = {}
        pieces = 0
        with open(self.events, "rb") as file:
            for text in file.read().splitlines():
                try:
                    lines.setdefault(text, json.loads(text))
                except ValueError:
                    pieces += 1
        return list(lines.values()), pieces

    def end(self):
        for child in self.children:
            if child.poll() is None:
                child.kill()
        for child in self.children:
            child.wait()
            for pipe in (child.stdin, child.stdout, child.stderr):
                if pipe:
                    pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self in worlds:
            worlds.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.end()


worlds = []


def until(condition, what, seconds=PATIENCE_S):
    """Waits for a condition; how long it took, in seconds."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.005)
    return time.monotonic() - began


class LockHeld:
    """The ledger's lock, held by the test."""

    def __init__(self, world):
        self.path = os.path.join(world.ledger, "lock")

    def __enter__(self):
        self.fd = os.open(self.path, os.O_RDWR)
        fcntl.fcntl(self.fd, F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))

    def __exit__(self, *what):
        os.close(self.fd)


# --- the event log ---


def numbers_with_gaps(lines):
    """Where the numbers of the log are not one after the other; a snapshot repeats the number before it."""
    gaps = []
    last = None
    for line in lines:
        snapshot = line.get("op") in ("node", "queue", "state")
        number = line.get("n")
        if number is None:
            gaps.append(f"a line without a number: {line}")
        elif last is not None and number != last + 1 and not (snapshot and number == last):
            gaps.append(f"{number} follows {last}")
        last = number if number is not None else last
    return gaps[:5]


def replay(lines):
    """Feeds the operations of a log to simulate: its answer, and what the log says was decided."""
    bare = [{key: line[key] for key in line if key not in STAMP} for line in lines]
    operations = "".join(json.dumps(line) + "\n" for line in bare if "op" in line)
    done = subprocess.run(
        [ALLOT, "simulate"], input=operations, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        timeout=PATIENCE_S,
    )
    return done, [line for line in bare if "decision" in line]


def replay_differs(lines):
    """Where simulate decides otherwise than the log says, as a problem."""
    done, logged = replay(lines)
    if done.returncode != 0:
        return f"simulate ended with {done.returncode}: {done.stderr}"
    simulated = [json.loads(line) for line in done.stdout.splitlines()]
    for at, (one, other) in enumerate(zip(simulated, logged)):
        if one != other:
            return f"decision {at}: simulate says\n{one}\nthe log says\n{other}"
    return differs("number of decisions", len(logged), len(simulated))


# --- nothing stays behind, whatever ends the test ---


def end_all():
    for world in list(worlds):
        world.end()


def ended(number, _frame):
    sys.exit(128 + number)


atexit.register(end_all)
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, ended)
