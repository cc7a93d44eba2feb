#!/usr/bin/env python3
"""Random traces for `allot simulate`: the same seed always gives the same trace.

    traces.py SEED

Every trace is valid: the naive implementation runs alongside, so that only what is live is released, timed
out, cancelled or taken into a `state` line. What makes decisions interesting is made likely: more is asked
than there is, big waiters are passed by small requests until they are protected, guarantees are held back,
GPUs are excluded, vanish and come back while their replicas are held.

The shape of a trace (which resources, how many GPUs and queues, how greedy, how patient) is drawn first and
holds for the whole of it; so some traces are only about cpu, some only about GPUs, some never wait.
"""

import random
import sys

sys.dont_write_bytecode = True

import naive  # noqa: E402

UUIDS = ("GPU-0", "GPU-1", "GPU-2", "GPU-3", "GPU-4", "GPU-5", "MIG-6f", "MIG-07")
# In byte order a capital comes before a small letter and "a-b" before "a.b": rule 6 orders by name.
QUEUES = ("a", "b", "B", "a-b", "a.b", "a_b", "0", "default", "z.9-Z_")
WAITERS_MAX = 10
GIB = 1024 ** 3


# --- writing quantities in every form of section 4 ----------------------------------------------------------


def cpu_text(rng, milli):
    whole, rest = divmod(milli, 1000)
    digits = f"{rest:03d}"
    if rng.random() < 0.7:
        digits = digits.rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)


def mem_text(rng, size):
    power = 0
    while power < 5 and size and size % 1024 == 0 and rng.random() < 0.95:
        size, power = size // 1024, power + 1
    suffix = "" if power == 0 else "kmgtp"[power - 1] + rng.choice(("", "", "i", "b", "ib"))
    return str(size) + "".join(rng.choice((c, c, c.upper())) for c in suffix)


def amounts_text(rng, amounts):
    """A resreq, a guarantee or a limit; its entries in any order."""
    entries = []
    for name, value in amounts.items():
        text = {"cpu": cpu_text, "mem": mem_text}.get(name, lambda _, count: str(count))(rng, value)
        if name == "mem" and rng.random() < 0.2:
            name = "memory"
        blank = " " if rng.random() < 0.05 else ""
        name = name.upper() if rng.random() < 0.05 else name
        entries.append(f"{blank}{name}{blank}={blank}{text}{blank}")
    rng.shuffle(entries)
    return ",".join(entries)


# --- one trace ----------------------------------------------------------------------------------------------


class Author:
    """Writes a trace, one valid operation after the other."""

    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.state = None
        self.steps = []  # of (operation, decisions)
        self.ids = 0
        self.kind = rng.choice(("mixed", "mixed", "mixed", "gpu", "gpu", "cpu"))
        self.greed = rng.choice((0.15, 0.3, 0.5, 0.8, 1.0))
        self.modesty = rng.choice((0.0, 0.3, 0.6, 0.8))  # how often a request asks for next to nothing
        self.turnover = rng.choice((0.5, 1.0, 2.5))  # how often grants end
        self.patience = rng.choice((0.0, 0.5, 0.9, 0.9, 0.97, 1.0))
        self.choosy = rng.choice((0.0, 0.1, 0.3, 0.6))  # how often a request has placement constraints
        self.ranks = rng.choice(((0,), (0,), (0, 0, 0, 1, -1), (0, 0, 0, 0, 5, -5, -1000, 1000, 1001, -1001)))
        some = rng.sample(naive.POLICIES, 1), ["round-robin", rng.choice(naive.POLICIES)]
        self.policies = rng.choice((naive.POLICIES, naive.POLICIES, *some))
        self.unrest = rng.choice((0.0, 0.5, 1.0, 2.0))  # how often node, queues and health change
        self.hoarding = rng.choice((0.2, 0.5, 0.9))  # how often a queue has a guarantee, and keeps it
        self.nodes = []  # the node lines so far
        self.queues = rng.sample(QUEUES, rng.randint(1, 6))

    def chance(self, probability):
        return self.rng.random() < probability

    def write(self, operation):
        self.state, decisions = naive.step(self.state, operation)
        self.steps.append((operation, decisions))

    # -- node and queues

    def gpus(self):
        rng = self.rng
        if self.kind == "cpu" and not self.chance(0.1):
            return []
        old = [gpu.uuid for gpu in self.state.node.gpus] if self.state else []
        uuids = rng.sample(UUIDS, rng.choice((1, 1, 2, 2, 3, 4, 5, 6)))
        if old and self.chance(0.7):
            uuids = [uuid for uuid in old if self.chance(0.75)]
            uuids += [uuid for uuid in UUIDS if uuid not in uuids and len(uuids) < 6 and self.chance(0.15)]
        if self.chance(0.5):
            uuids.sort()
        same = rng.choice((None, 1, 2, 4, 8))
        known = {gpu.uuid: gpu.replicas for gpu in self.state.node.gpus} if self.state else {}
        keep = 0.6 if known else 0
        return [
            {"uuid": uuid, "replicas": known[uuid] if uuid in known and self.chance(keep)
             else same or rng.randint(1, 8)}
            for uuid in uuids
        ]

    def bounds(self):
        """Small ones, so that protection and full GPUs happen often."""
        given = {}
        if self.chance(0.85):
            given["max_bypass"] = self.rng.choice((0, 1, 1, 2, 2, 8))
        if self.chance(0.4):
            given["max_containers_per_gpu"] = self.rng.randint(0, 3)
        return given

    def write_node(self, operation):
        self.nodes.append(operation)
        self.write(operation)

    def other_bounds(self):
        fixed = {name: v for name, v in self.nodes[-1].items() if not name.startswith("max_")}
        self.write_node({**fixed, **self.bounds()})

    def earlier_node(self):
        """GPUs that were gone are there again."""
        self.write_node(self.rng.choice(self.nodes[-3:]))

    def smaller_node(self):
        """Grants may hold more than there is then, and non-lent guarantees may name more."""
        operation = {**self.nodes[-1]}
        operation["gpus"] = [gpu for gpu in operation.get("gpus", []) if self.chance(0.6)]
        amounts = self.state.node.amounts
        if "cpu" in amounts and self.chance(0.7):
            operation["cpu"] = cpu_text(self.rng, int(amounts["cpu"] * self.rng.random()))
        if "mem" in amounts and self.chance(0.7):
            operation["mem"] = mem_text(self.rng, int(amounts["mem"] * self.rng.random()))
        self.write_node(operation)

    def other_node(self):
        self.rng.choice((self.node, self.other_bounds, self.earlier_node, self.smaller_node))()

    def node(self):
        rng = self.rng
        operation = {"op": "node"}
        if self.kind != "gpu" or self.chance(0.1):
            if self.chance(0.9):
                operation["cpu"] = cpu_text(rng, rng.choice((0, 1500, 4000, 7000, 8000, 16000, 64000)))
            if self.chance(0.8):
                operation["mem"] = mem_text(rng, rng.choice((0, 1000, GIB, 7 * GIB, 16 * GIB, 256 * GIB)))
        for name in ("cpu", "mem"):
            if name not in operation and self.chance(0.5):
                operation[name] = "off"
            elif operation.get(name, "off").isdigit() and self.chance(0.2):
                operation[name] = int(operation[name])
        gpus = self.gpus()
        if gpus or self.chance(0.5):
            operation["gpus"] = gpus
        self.write_node({**operation, **self.bounds()})

    def part(self, resource, most=1.0):
        """Some of the capacity, in round figures more often than not."""
        total = naive.capacity(self.state).get(resource, {"cpu": 8000, "mem": 16 * GIB}.get(resource))
        value = int(total * most * self.rng.random())
        grain = {"cpu": 500, "mem": GIB // 2, "gpu": 1}[resource]
        return -(-value // grain) * grain if self.chance(0.8) else value

    def amounts(self, probability, most):
        return {r: self.part(r, most) for r in naive.RESOURCES if self.chance(probability)}

    def queue(self, name=None):
        rng = self.rng
        operation = {"op": "queue", "name": name or rng.choice(self.queues)}
        if self.chance(0.6):
            operation["weight"] = rng.choice((1, 2, 2, 3, 5, 7, 1000, naive.WEIGHT_MAX))
        guarantee = self.amounts(0.5, rng.choice((0.3, 0.5, 1.0))) if self.chance(self.hoarding) else {}
        limit = {r: max(v, guarantee.get(r, 0)) for r, v in self.amounts(0.5, 1.3).items()}
        if guarantee:
            operation["guarantee"] = amounts_text(rng, guarantee)
        if limit and self.chance(0.6):
            operation["limit"] = amounts_text(rng, limit)
        if self.chance(0.5):
            operation["max_priority"] = rng.choice((0, 0, 1, 5, 1000))
        if self.chance(0.7):
            operation["lend"] = not self.chance(self.hoarding)
        if self.within_capacity(operation["name"], guarantee if not operation.get("lend", True) else {}):
            self.write(operation)

    def within_capacity(self, name, guarantee):
        """After a node shrank, non-lent guarantees may be above the capacity; a queue line then waits."""
        others = [q.guarantee for q in self.state.queues.values() if not q.lend and q.name != name]
        return all(
            sum(given.get(r, 0) for given in [guarantee, *others]) <= total
            for r, total in naive.capacity(self.state).items()
        )

    def health(self):
        if self.state.node.gpus:
            gpu = self.rng.choice(self.state.node.gpus).uuid
            back = 0.8 if gpu in self.state.excluded else 0.1
            self.write({"op": "health", "gpu": gpu, "state": "ok" if self.chance(back) else "excluded"})

    # -- requests

    def new_id(self):
        """Sometimes one that was live before and is no more."""
        live = naive.live(self.state)
        old = f"c{self.rng.randint(1, self.ids)}" if self.ids and self.chance(0.1) else None
        if old and old not in live:
            return old
        self.ids += 1
        return f"c{self.ids}"

    def ask(self):
        rng = self.rng
        most = rng.choice((self.greed, self.greed, self.greed / 3, 1.05))
        if self.chance(self.modesty):
            most = 0.05
        if self.chance(0.02):
            return {rng.choice(naive.RESOURCES): 0}
        chances = {"mixed": (0.7, 0.6, 0.7), "gpu": (0.05, 0.05, 0.97), "cpu": (0.9, 0.7, 0.03)}[self.kind]
        asked = {r: self.part(r, most) for r, likely in zip(naive.RESOURCES, chances) if self.chance(likely)}
        if asked.get("gpu") == 0 and self.chance(0.9):
            asked["gpu"] = 1
        return asked or {"cpu": 1000}

    def request(self):
        rng = self.rng
        operation = {"op": "request", "id": self.new_id()}
        if self.chance(0.95):
            operation["queue"] = rng.choice(self.queues)
        asked = self.ask()
        gpu = asked.get("gpu", 0)
        if gpu and self.chance(0.3):
            operation["replicas"] = gpu
            if self.chance(0.7):
                del asked["gpu"]
        if asked:
            operation["resreq"] = amounts_text(rng, asked)
        rank = rng.choice(self.ranks)
        if rank or self.chance(0.1):
            operation["priority"] = rank
        if self.chance(0.7):
            operation["policy"] = rng.choice(self.policies)
        if self.chance(self.choosy / 2):
            operation["distinct"] = self.chance(0.8)
        if self.chance(self.choosy) and self.state.node.gpus:
            uuids = [g.uuid for g in self.state.node.gpus]
            operation["devices"] = rng.sample(uuids, rng.randint(1, len(uuids)))
        patient = len(self.state.waiters) < WAITERS_MAX and self.chance(self.patience)
        if patient or self.chance(0.5):
            operation["wait"] = patient
        self.write(operation)

    def release(self):
        ids = [given.id for given in self.state.grants]
        if not ids:
            return
        if self.chance(0.6):
            self.write({"op": "release", "id": self.rng.choice(ids)})
        else:
            count = min(len(ids), self.rng.choice((1, 2, 2, 3, 4, len(ids))))
            self.write({"op": "release", "ids": self.rng.sample(ids, count)})

    def give_up(self):
        if self.state.waiters:
            name = self.rng.choice(self.state.waiters).id
            self.write({"op": self.rng.choice(("timeout", "cancel")), "id": name})

    # -- the state line

    def dumped(self, entry):
        line = {
            "id": entry.id,
            "queue": entry.queue,
            "resreq": amounts_text(self.rng, entry.ask),
            "priority": entry.priority,
        }
        if isinstance(entry, naive.Grant):
            return {**line, "arrival": entry.arrival, "replicas": naive.names(entry.replicas)}
        line.update(policy=entry.policy, distinct=entry.distinct)
        if entry.devices is not None:
            line["devices"] = list(entry.devices)
        bypassed = self.rng.randint(0, 3) if self.chance(0.1) else entry.bypassed
        return {**line, "arrival": entry.arrival, "bypassed": bypassed}

    def dump(self):
        """The state as it is, sometimes with less in it than there was."""
        keep = self.rng.choice((1.0, 0.9, 0.6))
        operation = {"op": "state"}
        if self.chance(0.7):
            operation["arrival"] = self.state.next_arrival
        if self.chance(0.7):
            operation["cursor"] = self.state.cursor if self.chance(0.8) else self.rng.choice(UUIDS + (None,))
        if self.chance(0.7):
            operation["excluded"] = sorted(self.state.excluded)
        for name in ("grants", "waiters"):
            entries = [self.dumped(entry) for entry in getattr(self.state, name) if self.chance(keep)]
            self.rng.shuffle(entries)
            if entries or self.chance(0.5):
                operation[name] = entries
        self.write(operation)

    # -- the whole

    def full(self):
        return len(self.state.waiters) >= WAITERS_MAX

    def next_step(self):
        likely = {
            self.request: 6 if not self.full() else 3,
            self.release: self.turnover if not self.full() else 5,
            self.give_up: 0.1 * len(self.state.waiters),
            self.health: 0.5 * self.unrest,
            self.queue: 0.4 * self.unrest,
            self.other_node: 0.35 * self.unrest,
            self.dump: 0.15 * self.unrest,
        }
        self.rng.choices(list(likely), list(likely.values()))[0]()

    def compose(self):
        length = self.rng.choice((20, 25, 30, 35, 40, 50, 60, 80, 120))
        self.node()
        for name in self.rng.sample(self.queues, self.rng.randint(0, len(self.queues))):
            self.queue(name)
        while len(self.steps) < length:
            self.next_step()
        return self.steps


def compose(seed):
    """The trace of a seed: a list of (operation, the decisions that the naive implementation takes)."""
    return Author(seed).compose()


def main():
    if len(sys.argv) != 2 or not sys.argv[1].lstrip("-").isdigit():
        print("usage: traces.py SEED", file=sys.stderr)
        return 2
    for operation, _ in compose(int(sys.argv[1])):
        print(naive.line_of(operation))
    return 0


if __name__ == "__main__":
    sys.exit(main())
