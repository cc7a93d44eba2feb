#!/usr/bin/env python3
"""The decisions of DESIGN.md, worked out the slow way.

`allot simulate` decides with heaps and 128-bit products. This program decides the same from the text alone:
no totals are kept, every figure is summed up from the grants whenever it is asked for, shares are exact
fractions, and each rule is one small function named after the words of section 5. Whoever doubts a decision
can read it here with section 5 in the other hand; tests/property/agree compares the two on random traces.

As a program it reads a trace on stdin and prints the decisions of section 12 without their "text".

A state is a value: nothing here changes one, each step makes the next.

What the text leaves open is settled here as follows:
- `used` in a placement key counts what the request has picked so far; "picked in this request" breaks ties.
- A request harms with the replicas its policy gives it; placement never makes room for a waiter.
- A new arrival stands in the order like a waiter that nobody bypassed yet.
- A waiter is exempt, protected, ahead and harmed as seen from the state before the grant in question.
- A lowered `max_priority` speaks to requests that come later, not to those that wait already.
- A limit is kept for every resource that it names, also for one that the request does not ask for.
- A GPU that is gone from the node is remembered: its replicas stay held, its exclusion stays.
"""

import json
import re
import sys
from dataclasses import dataclass, field, replace
from fractions import Fraction

RESOURCES = ("cpu", "mem", "gpu")
POLICIES = ("spread", "distributed", "scatter", "packed", "least-request", "round-robin")
QUANTITY_MAX = 2 ** 53  # section 5: the bound that keeps 128-bit products exact
WEIGHT_MAX = 2 ** 20
COUNT_MAX = 2 ** 32 - 1
PRIORITY_MIN, PRIORITY_MAX = -1000, 1000


# --- values (section 1) -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Gpu:
    uuid: str
    replicas: int


@dataclass(frozen=True, eq=False)
class Node:
    amounts: dict  # cpu and mem; one that is switched off is not in it
    gpus: tuple = ()
    max_bypass: int = 8
    max_containers_per_gpu: int = 0


@dataclass(frozen=True, eq=False)
class Queue:
    """A queue that is not declared is this with its name (section 12)."""

    name: str
    weight: int = 1
    guarantee: dict = field(default_factory=dict)  # only what it names
    limit: dict = field(default_factory=dict)
    lend: bool = True
    max_priority: int = PRIORITY_MAX


@dataclass(frozen=True, eq=False)
class Request:
    """Also a waiter: a request that stays."""

    id: str
    queue: str
    ask: dict
    arrival: int
    priority: int = 0
    policy: str = "spread"
    distinct: bool = False
    devices: tuple = None  # None: any
    bypassed: int = 0


@dataclass(frozen=True, eq=False)
class Grant:
    id: str
    queue: str
    ask: dict
    arrival: int
    priority: int
    replicas: tuple  # of (uuid, n)


@dataclass(frozen=True, eq=False)
class State:
    node: Node
    queues: dict = field(default_factory=dict)
    grants: tuple = ()
    waiters: tuple = ()
    excluded: frozenset = frozenset()
    cursor: str = None
    next_arrival: int = 1


# --- what is there and what is held -------------------------------------------------------------------------


def capacity(state):
    """Includes GPUs that are excluded for their health; a resource that is off is not in it (section 5)."""
    return {**state.node.amounts, "gpu": sum(gpu.replicas for gpu in state.node.gpus)}


def held(state, resource):
    return sum(grant.ask[resource] for grant in state.grants)


def used(state, name, resource):
    return sum(grant.ask[resource] for grant in state.grants if grant.queue == name)


def queue_of(state, name):
    return state.queues.get(name) or Queue(name)


def held_replicas(state, gpu):
    return [n for grant in state.grants for uuid, n in grant.replicas if uuid == gpu.uuid]


def free_replicas(state, gpu):
    taken = held_replicas(state, gpu)
    return [n for n in range(gpu.replicas) if n not in taken]


def containers(state, gpu):
    return sum(any(uuid == gpu.uuid for uuid, _ in grant.replicas) for grant in state.grants)


# --- section 5, the words -----------------------------------------------------------------------------------


def effective_guarantees(state):
    """Rule 6: non-lent guarantees, honoured in the order of the queues' names as far as the capacity goes."""
    left = capacity(state)
    effective = {}
    for name in sorted(state.queues, key=str.encode):
        queue = state.queues[name]
        if not queue.lend:
            effective[name] = {r: min(queue.guarantee.get(r, 0), left[r]) for r in left}
            left = {r: left[r] - effective[name][r] for r in left}
    return effective


def held_back(state, name, resource):
    """Rule 6: what a queue that does not lend does not use of its guarantee."""
    effective = effective_guarantees(state)
    if name not in effective:
        return 0
    return max(0, effective[name][resource] - used(state, name, resource))


def free_for(state, name, resource):
    """Capacity less what all grants hold, less free replicas of excluded GPUs, less what others hold back."""
    free = capacity(state)[resource] - held(state, resource)
    if resource == "gpu":
        free -= sum(len(free_replicas(state, gpu)) for gpu in state.node.gpus if gpu.uuid in state.excluded)
    free -= sum(held_back(state, other, resource) for other in state.queues if other != name)
    return max(0, free)


def eligible(state, request, gpu):
    """Section 6: `devices`, excluded GPUs and `max_containers_per_gpu` filter the buckets."""
    cap = state.node.max_containers_per_gpu
    return (
        (request.devices is None or gpu.uuid in request.devices)
        and gpu.uuid not in state.excluded
        and len(free_replicas(state, gpu)) > 0
        and (cap == 0 or containers(state, gpu) < cap)
    )


def found(state, request):
    """How many replicas the placement constraints can find now."""
    gpus = [gpu for gpu in state.node.gpus if eligible(state, request, gpu)]
    return len(gpus) if request.distinct else sum(len(free_replicas(state, gpu)) for gpu in gpus)


def lacks(state, request):
    """Of each resource what it asks beyond what is free; of gpu, also what its constraints cannot find."""
    lack = {}
    for resource in capacity(state):
        there = free_for(state, request.queue, resource)
        if resource == "gpu":
            there = min(there, found(state, request))
        lack[resource] = max(0, request.ask[resource] - there)
    return lack


def lacks_nothing(state, request):
    return not any(lacks(state, request).values())


def over_limit(state, request):
    """Its queue would not stay in its limit, now."""
    limit = queue_of(state, request.queue).limit
    return any(
        used(state, request.queue, r) + request.ask[r] > limit[r] for r in capacity(state) if r in limit
    )


def fits(state, request):
    return lacks_nothing(state, request) and not over_limit(state, request)


# --- rule 1: never fits -------------------------------------------------------------------------------------


def held_on_excluded(state, name, resource):
    replicas = [uuid for g in state.grants if g.queue == name and resource == "gpu" for uuid, _ in g.replicas]
    return sum(uuid in state.excluded for uuid in replicas)


def idle_node_holds(state, request):
    """The node without grants, less the non-lent guarantees of other queues; excluded GPUs stay excluded.

    What a queue holds of its guarantee on excluded GPUs, nobody must find for it on the others.
    """
    guarantees = effective_guarantees(state)
    idle = replace(state, grants=())
    for resource, amount in capacity(state).items():
        if resource == "gpu":
            amount -= sum(gpu.replicas for gpu in state.node.gpus if gpu.uuid in state.excluded)
        amount -= sum(
            max(0, guarantees[name][resource] - held_on_excluded(state, name, resource))
            for name in guarantees
            if name != request.queue
        )
        if request.ask[resource] > max(0, amount):
            return False
    return request.ask["gpu"] <= found(idle, request)


def above_limit_alone(state, request):
    limit = queue_of(state, request.queue).limit
    return any(request.ask[r] > limit[r] for r in capacity(state) if r in limit)


def never_fits(state, request):
    healthy = replace(state, excluded=frozenset())
    return above_limit_alone(state, request) or not idle_node_holds(healthy, request)


# --- rule 2: the order --------------------------------------------------------------------------------------


def dominant_share(state, name):
    """The largest share; a resource that is off or has capacity 0 has none."""
    total = capacity(state)
    return max((Fraction(used(state, name, r), total[r]) for r in total if total[r] > 0), default=Fraction(0))


def weighted_share(state, name):
    return dominant_share(state, name) / queue_of(state, name).weight


def within_guarantee(state, request):
    """Rule 6: it names a resource that is asked for, and use plus request stays in all that it names."""
    guarantee = queue_of(state, request.queue).guarantee
    named = [r for r in capacity(state) if r in guarantee]
    return any(request.ask[r] > 0 for r in named) and all(
        used(state, request.queue, r) + request.ask[r] <= guarantee[r] for r in named
    )


def exempt(state, waiter):
    """Rule 5, last sentence: stopped by its own limit, or too much for the idle healthy GPUs."""
    return over_limit(state, waiter) or not idle_node_holds(state, waiter)


def protected(state, waiter):
    return waiter.bypassed >= state.node.max_bypass and not exempt(state, waiter)


def order(state, request):
    """Rule 2 as a key, the smallest first; arrivals differ, so the order is total."""
    return (
        -request.priority,
        not within_guarantee(state, request),
        not protected(state, request),
        weighted_share(state, request.queue),
        request.arrival,
    )


def before(state, first, second):
    return order(state, first) < order(state, second)


# --- section 6: placement -----------------------------------------------------------------------------------


def after_cursor(state, cursor, gpu):
    """How many steps after the cursor a GPU comes, its own last. A cursor that is gone: from the first."""
    uuids = [g.uuid for g in state.node.gpus]
    start = uuids.index(cursor) + 1 if cursor in uuids else 0
    return (uuids.index(gpu.uuid) - start) % len(uuids)


def key(state, request, gpu, picks, cursor):
    """The table of section 6, the smallest first."""
    picked = sum(uuid == gpu.uuid for uuid, _ in picks)
    use = len(held_replicas(state, gpu)) + picked
    index = [g.uuid for g in state.node.gpus].index(gpu.uuid)
    if request.policy in ("spread", "distributed"):
        return (use, picked, index)
    if request.policy == "scatter":
        return (picked, use, index)
    if request.policy == "packed":
        return (-use, picked, index)
    if request.policy == "least-request":
        return (containers(state, gpu) + (picked > 0), use, index)
    return (after_cursor(state, cursor, gpu),)


def lowest_free(state, gpu, picks):
    return min((n for n in free_replicas(state, gpu) if (gpu.uuid, n) not in picks), default=None)


def has_room(state, request, gpu, picks):
    if request.distinct and any(uuid == gpu.uuid for uuid, _ in picks):
        return False
    return eligible(state, request, gpu) and lowest_free(state, gpu, picks) is not None


def place(state, request):
    """The replicas, in the order of the picks, and the cursor afterwards. Only for a request that fits."""
    picks, cursor = [], state.cursor
    while len(picks) < request.ask["gpu"]:
        room = [gpu for gpu in state.node.gpus if has_room(state, request, gpu, picks)]
        gpu = min(room, key=lambda g: key(state, request, g, picks, cursor))
        picks.append((gpu.uuid, lowest_free(state, gpu, picks)))
        if request.policy == "round-robin":
            cursor = gpu.uuid
    return tuple(picks), cursor


# --- rules 3 to 5: admitting, passing, settling -------------------------------------------------------------


def with_grant(state, request):
    """The state in which the request has its replicas; it waits no longer if it did."""
    replicas, cursor = place(state, request)
    grant = Grant(request.id, request.queue, request.ask, request.arrival, request.priority, replicas)
    waiters = tuple(w for w in state.waiters if w.id != request.id)
    return replace(state, grants=state.grants + (grant,), waiters=waiters, cursor=cursor)


def harms(state, after, waiter):
    """Rule 5: the waiter lacks more of some resource after the grant than before."""
    then, now = lacks(after, waiter), lacks(state, waiter)
    return any(then[r] > now[r] for r in now)


def harms_protected_ahead(state, request):
    """Rule 3: what a request that fits must not do."""
    ahead = [
        w for w in state.waiters if w.id != request.id and protected(state, w) and before(state, w, request)
    ]
    if not ahead:
        return False
    after = with_grant(state, request)
    return any(harms(state, after, w) for w in ahead)


def admissible(state, request):
    return fits(state, request) and not harms_protected_ahead(state, request)


def bypass(state, after, request):
    """Rule 5: one more for the oldest of the earlier waiters that the grant harms, exempt ones left out."""
    harmed = [
        w
        for w in after.waiters
        if w.arrival < request.arrival and not exempt(state, w) and harms(state, after, w)
    ]
    if not harmed:
        return after
    oldest = min(harmed, key=lambda w: w.arrival)
    return replace(
        after,
        waiters=tuple(replace(w, bypassed=w.bypassed + 1) if w is oldest else w for w in after.waiters),
    )


def grant(state, request):
    after = with_grant(state, request)
    return bypass(state, after, request), said_granted(after, after.grants[-1])


def settle(state):
    """Rule 4."""
    decisions = []
    for waiter in sorted(state.waiters, key=lambda w: w.arrival):
        if never_fits(state, waiter):
            state = without_waiter(state, waiter.id)
            decisions.append(said_denied(waiter.id, "NEVER_FITS"))
    while True:
        for waiter in sorted(state.waiters, key=lambda w: order(state, w)):
            if admissible(state, waiter):
                state, decision = grant(state, waiter)
                decisions.append(decision)
                break
        else:
            return state, decisions


def obstacle(state, request):
    """The first reason that applies to a new arrival, None where rule 3 admits it."""
    if not PRIORITY_MIN <= request.priority <= queue_of(state, request.queue).max_priority:
        return "BAD_REQUEST"
    if never_fits(state, request):
        return "NEVER_FITS"
    if over_limit(state, request):
        return "OVER_LIMIT"
    if not lacks_nothing(state, request):
        healthy = replace(state, excluded=frozenset())
        return "NO_HEALTHY_GPU" if lacks_nothing(healthy, request) else "NO_CAPACITY"
    if harms_protected_ahead(state, request):
        return "BEHIND_PROTECTED"
    return None


def arrive(state, request, may_wait):
    """Rules 1 and 3."""
    reason = obstacle(state, request)
    if reason is None:
        return grant(state, request)
    if may_wait and reason not in ("BAD_REQUEST", "NEVER_FITS"):
        return replace(state, waiters=state.waiters + (request,)), said_waiting(request.id, reason)
    return state, said_denied(request.id, reason)


def without_waiter(state, waiter_id):
    return replace(state, waiters=tuple(w for w in state.waiters if w.id != waiter_id))


# --- section 12: what is said -------------------------------------------------------------------------------


def names(replicas):
    return [f"{uuid}::{n}" for uuid, n in replicas]


def said_granted(state, given):
    share = dominant_share(state, given.queue)
    return {
        "id": given.id,
        "decision": "granted",
        "replicas": names(given.replicas),
        "queue": given.queue,
        "share": f"{share.numerator}/{share.denominator}",
    }


def said_waiting(request_id, reason):
    return {"id": request_id, "decision": "waiting", "reason": reason}


def said_denied(request_id, reason):
    return {"id": request_id, "decision": "denied", "reason": reason}


def said_released(given):
    return {"id": given.id, "decision": "released", "replicas": names(given.replicas)}


def line_of(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


# --- section 4: reading values ------------------------------------------------------------------------------


class BadLine(Exception):
    pass


def need(condition, message):
    if not condition:
        raise BadLine(message)


def bounded(value, most, what):
    need(value <= most, f"{what} is too large")
    return value


def cpu_milli(text):
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]{1,3}))?", text)
    need(match, f"bad cpu {text!r}")
    return bounded(int(match[1]) * 1000 + int((match[2] or "").ljust(3, "0")), QUANTITY_MAX, "cpu")


def mem_bytes(text):
    match = re.fullmatch(r"([0-9]+)(?:b|([kmgtp])(?:i|b|ib)?)?", text.lower())
    need(match, f"bad mem {text!r}")
    return bounded(int(match[1]) * 1024 ** " kmgtp".index(match[2] or " "), QUANTITY_MAX, "mem")


def gpu_count(text):
    need(re.fullmatch(r"[0-9]+", text), f"bad gpu {text!r}")
    return bounded(int(text), COUNT_MAX, "gpu")


READERS = {"cpu": cpu_milli, "mem": mem_bytes, "memory": mem_bytes, "gpu": gpu_count}


def resreq(text):
    """Only what it names."""
    need(isinstance(text, str) and text.isascii(), "resreq is not an ASCII string")
    named = {}
    for entry in text.split(","):
        parts = [part.strip(" \t") for part in entry.split("=")]
        need(len(parts) == 2, f"entry {entry!r} is not key=value")
        name, reader = parts[0].lower(), READERS.get(parts[0].lower())
        need(reader, f"unknown resource in entry {entry!r}")
        name = "mem" if name == "memory" else name
        need(name not in named, f"resource repeated in entry {entry!r}")
        named[name] = reader(parts[1])
    return named


def whole(value, least, most, what):
    need(type(value) is int and least <= value <= most, f"{what} is not a whole number in {least}..{most}")
    return value


def flag(value, what):
    need(type(value) is bool, f"{what} is neither true nor false")
    return value


def word(value, what):
    need(isinstance(value, str) and value != "", f"{what} is not a word")
    return value


def queue_name(value):
    need(isinstance(value, str), "queue is not a word")
    need(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}", value), f"bad queue name {value!r}")
    return value


def policy_name(value):
    need(value in POLICIES, f"unknown policy {value!r}")
    return value


def items(value, what):
    need(isinstance(value, list), f"{what} is not a list")
    return value


def keys(value, required, optional, what):
    need(isinstance(value, dict), f"{what} is not an object")
    for name in value:
        need(name in required or name in optional, f"unknown key {name!r} in {what}")
    for name in required:
        need(name in value, f"{what} has no {name!r}")


def unlike(values, what):
    need(len(set(values)) == len(values), f"{what} twice")
    return values


def gpus_known(state, uuids):
    for uuid in uuids:
        need(uuid in [gpu.uuid for gpu in state.node.gpus], f"unknown GPU {uuid!r}")


def live(state):
    return [entry.id for entry in state.grants + state.waiters]


# --- section 12: the operations, each (state, operation) -> (state, decisions) before settling --------------


def amount(operation, name, reader):
    """Absent is off, like the word; a JSON integer reads like its decimal string."""
    value = operation.get(name, "off")
    if value == "off":
        return {}
    need(isinstance(value, str) or type(value) is int, f"{name} is neither a string nor a whole number")
    return {name: reader(str(value))}


def op_node(state, operation):
    keys(operation, ("op",), ("cpu", "mem", "gpus", "max_bypass", "max_containers_per_gpu"), "node")
    gpus = []
    for entry in items(operation.get("gpus", []), "gpus"):
        keys(entry, ("uuid", "replicas"), (), "gpu")
        gpus.append(Gpu(word(entry["uuid"], "uuid"), whole(entry["replicas"], 1, COUNT_MAX, "replicas")))
    unlike([gpu.uuid for gpu in gpus], "GPU")
    node = Node(
        {**amount(operation, "cpu", cpu_milli), **amount(operation, "mem", mem_bytes)},
        tuple(gpus),
        whole(operation.get("max_bypass", 8), 0, COUNT_MAX, "max_bypass"),
        whole(operation.get("max_containers_per_gpu", 0), 0, COUNT_MAX, "max_containers_per_gpu"),
    )
    return (replace(state, node=node) if state else State(node)), []


def guarantees_in_capacity(state, queue):
    """Rule 6: a line that gives non-lent guarantees above the capacity is an error."""
    for resource, total in capacity(state).items():
        given = sum(q.guarantee.get(resource, 0) for q in state.queues.values() if not q.lend)
        adds = not queue.lend and queue.guarantee.get(resource, 0) > 0
        need(not adds or given <= total, f"non-lent guarantees of {resource} above the capacity")


def op_queue(state, operation):
    keys(operation, ("op", "name"), ("weight", "guarantee", "limit", "lend", "max_priority"), "queue")
    queue = Queue(
        queue_name(operation["name"]),
        whole(operation.get("weight", 1), 1, WEIGHT_MAX, "weight"),
        resreq(operation["guarantee"]) if "guarantee" in operation else {},
        resreq(operation["limit"]) if "limit" in operation else {},
        flag(operation.get("lend", True), "lend"),
        whole(operation.get("max_priority", PRIORITY_MAX), PRIORITY_MIN, PRIORITY_MAX, "max_priority"),
    )
    for name, value in queue.guarantee.items():
        need(value <= queue.limit.get(name, value), f"guarantee of {name} above the limit")
    state = replace(state, queues={**state.queues, queue.name: queue})
    guarantees_in_capacity(state, queue)
    return state, []


def asked(operation):
    """Section 4: replicas and resreq's gpu must agree if both are given; what neither names is 0."""
    named = resreq(operation["resreq"]) if "resreq" in operation else {}
    if "replicas" in operation:
        replicas = whole(operation["replicas"], 1, COUNT_MAX, "replicas")
        need(named.get("gpu", replicas) == replicas, "replicas is not resreq's gpu")
        named["gpu"] = replicas
    return {r: named.get(r, 0) for r in RESOURCES}


REQUEST_KEYS = ("queue", "resreq", "replicas", "priority", "policy", "distinct", "devices", "wait")


def op_request(state, operation):
    keys(operation, ("op", "id"), REQUEST_KEYS, "request")
    devices = None
    if "devices" in operation:
        devices = tuple(word(uuid, "device") for uuid in items(operation["devices"], "devices"))
        need(devices, "devices is empty")
        gpus_known(state, devices)
    request = Request(
        word(operation["id"], "id"),
        queue_name(operation.get("queue", "default")),
        asked(operation),
        state.next_arrival,
        whole(operation.get("priority", 0), -COUNT_MAX, COUNT_MAX, "priority"),
        policy_name(operation.get("policy", "spread")),
        flag(operation.get("distinct", False), "distinct"),
        devices,
    )
    may_wait = flag(operation.get("wait", False), "wait")
    need(request.id not in live(state), f"{request.id!r} is live already")
    state, decision = arrive(replace(state, next_arrival=state.next_arrival + 1), request, may_wait)
    return state, [decision]


def op_release(state, operation):
    keys(operation, ("op",), ("id", "ids"), "release")
    need(("id" in operation) != ("ids" in operation), "release wants either id or ids")
    ids = [operation["id"]] if "id" in operation else items(operation["ids"], "ids")
    need(ids, "ids is empty")
    unlike([word(name, "id") for name in ids], "id")
    grants = {given.id: given for given in state.grants}
    for name in ids:
        need(name in grants, f"{name!r} is not held")
    state = replace(state, grants=tuple(given for given in state.grants if given.id not in ids))
    return state, [said_released(grants[name]) for name in ids]


def waiting_id(state, operation):
    keys(operation, ("op", "id"), (), operation["op"])
    need(word(operation["id"], "id") in [w.id for w in state.waiters], f"{operation['id']!r} does not wait")
    return operation["id"]


def op_timeout(state, operation):
    name = waiting_id(state, operation)
    return without_waiter(state, name), [said_denied(name, "TIMED_OUT")]


def op_cancel(state, operation):
    name = waiting_id(state, operation)
    return without_waiter(state, name), [{"id": name, "decision": "cancelled"}]


def op_health(state, operation):
    keys(operation, ("op", "gpu", "state"), (), "health")
    need(operation["state"] in ("excluded", "ok"), "state is neither excluded nor ok")
    gpus_known(state, [operation["gpu"]])
    gpu = {operation["gpu"]}
    excluded = state.excluded | gpu if operation["state"] == "excluded" else state.excluded - gpu
    return replace(state, excluded=excluded), []


def replica(value):
    match = re.fullmatch(r"(.+)::(0|[1-9][0-9]*)", word(value, "replica"))
    need(match, f"bad replica {value!r}")
    return match[1], int(match[2])


def dumped_grant(entry):
    keys(entry, ("id", "queue", "resreq", "arrival", "replicas"), ("priority",), "grant")
    given = Grant(
        word(entry["id"], "id"),
        queue_name(entry["queue"]),
        {**dict.fromkeys(RESOURCES, 0), **resreq(entry["resreq"])},
        whole(entry["arrival"], 0, QUANTITY_MAX, "arrival"),
        whole(entry.get("priority", 0), PRIORITY_MIN, PRIORITY_MAX, "priority"),
        tuple(replica(value) for value in items(entry["replicas"], "replicas")),
    )
    need(len(given.replicas) == given.ask["gpu"], "replicas is not resreq's gpu")
    return given


def dumped_waiter(entry):
    required = ("id", "queue", "resreq", "arrival")
    keys(entry, required, ("priority", "policy", "distinct", "devices", "bypassed"), "waiter")
    devices = tuple(word(uuid, "device") for uuid in items(entry.get("devices") or [], "devices"))
    return Request(
        word(entry["id"], "id"),
        queue_name(entry["queue"]),
        {**dict.fromkeys(RESOURCES, 0), **resreq(entry["resreq"])},
        whole(entry["arrival"], 0, QUANTITY_MAX, "arrival"),
        whole(entry.get("priority", 0), PRIORITY_MIN, PRIORITY_MAX, "priority"),
        policy_name(entry.get("policy", "spread")),
        flag(entry.get("distinct", False), "distinct"),
        devices or None,
        whole(entry.get("bypassed", 0), 0, COUNT_MAX, "bypassed"),
    )


def op_state(state, operation):
    """Replaces grants, waiters and cursor. It may name GPUs that are gone: they are remembered by UUID."""
    keys(operation, ("op",), ("arrival", "cursor", "excluded", "grants", "waiters"), "state")
    grants = tuple(dumped_grant(entry) for entry in items(operation.get("grants", []), "grants"))
    waiters = tuple(dumped_waiter(entry) for entry in items(operation.get("waiters", []), "waiters"))
    excluded = state.excluded
    if "excluded" in operation:
        excluded = frozenset(word(uuid, "GPU") for uuid in items(operation["excluded"], "excluded"))
    cursor = operation.get("cursor")
    need(cursor is None or word(cursor, "cursor"), "bad cursor")
    unlike([entry.id for entry in grants + waiters], "id")
    unlike([pair for given in grants for pair in given.replicas], "replica")
    arrivals = unlike([entry.arrival for entry in grants + waiters], "arrival")
    following = max([state.next_arrival - 1, *arrivals]) + 1
    if "arrival" in operation:
        following = whole(operation["arrival"], 0, QUANTITY_MAX, "arrival")
        need(all(arrival < following for arrival in arrivals), "arrival is not above those of the records")
    return replace(
        state, grants=grants, waiters=waiters, cursor=cursor, excluded=excluded, next_arrival=following
    ), []


OPERATIONS = {
    "node": op_node,
    "queue": op_queue,
    "request": op_request,
    "release": op_release,
    "timeout": op_timeout,
    "cancel": op_cancel,
    "health": op_health,
    "state": op_state,
}


def step(state, operation):
    """One operation, then rule 4. The state before the first node is None."""
    need(isinstance(operation, dict), "not an object")
    name = operation.get("op")
    need(isinstance(name, str) and name in OPERATIONS, f"unknown op {name!r}")
    need(state is not None or name == "node", "a node comes first")
    state, decisions = OPERATIONS[name](state, operation)
    state, settled = settle(state)
    return state, decisions + settled


# --- the program --------------------------------------------------------------------------------------------


def object_of(pairs):
    unlike([name for name, _ in pairs], "key")
    return dict(pairs)


def refuse_constant(text):
    raise BadLine(f"{text} is not JSON")


def read_line(raw):
    try:
        return json.loads(raw.decode(), object_pairs_hook=object_of, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not JSON: {error}") from error


def main():
    state = None
    for number, raw in enumerate(sys.stdin.buffer, 1):
        try:
            state, decisions = step(state, read_line(raw))
        except BadLine as error:
            sys.stdout.flush()
            print(f"naive: line {number}: {error}", file=sys.stderr)
            return 2
        for decision in decisions:
            print(line_of(decision))
    return 0


if __name__ == "__main__":
    sys.exit(main())
