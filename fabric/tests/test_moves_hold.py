"""Whatever is wrong: the moves can be done, they end at the plan, and nobody finds a shorter way."""

from __future__ import annotations

import heapq
import random
from collections.abc import Sequence
from itertools import chain, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.facts import PlannedPort
from fabric.reconcile.cables import FoundBody, FoundCable, WantedBody, WantedCable, fits, found_bodies, wanted_bodies
from fabric.reconcile.moves import ComponentKind, MovePlan, StepKind, plan_moves
from fabric.reconcile.prices import Prices
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import CABLING, inject
from fabric.tests.patch_field import apply
from tests.effort import examples

KINDS = st.lists(st.sampled_from([*CABLING, "stranger"]), min_size=1, max_size=12)
SHAPES = st.builds(
    Shape,
    machines=st.integers(2, 30),
    rails=st.integers(1, 3),
    radix=st.sampled_from([8, 12]),
    twins=st.booleans(),
    seed=st.integers(0, 10**6),
)


def troubled(shape: Shape, kinds: Sequence[str], overlapping: bool) -> Made:
    fabric = made(shape)
    for kind in kinds:
        inject(fabric, kind, overlapping=overlapping)
    return fabric


def checked(found: Sequence[FoundCable], wanted: Sequence[WantedCable], prices: Prices | None = None) -> MovePlan:
    """The plan, after it was carried out step by step on a field that refuses what cannot be done."""
    plan = plan_moves(found, wanted, prices=prices)
    planned = {frozenset(link.ends) for link in wanted}
    right = {frozenset(link.ends) for link in found} & planned
    new = {label for component in plan.components for label in component.new_cables}
    taken_out = {name for component in plan.components for name in component.taken_out}
    field = apply(found, wanted, plan.moves)
    assert field.hanging() == 0
    fulfilled = {frozenset(link.ends) for link in wanted if link.label not in new}
    assert fulfilled <= field.links()
    assert field.links() <= planned, "a cable lies where none is planned"
    assert right <= fulfilled
    assert not taken_out & {link.id for link in found if frozenset(link.ends) in right}
    assert sorted(move.n for move in plan.moves) == list(range(1, len(plan.moves) + 1))
    for component in plan.components:  # each is legal on its own, too
        mine = [link for link in found if link.id in component.found]
        apply(mine, wanted, component.moves)
    return plan


@settings(deadline=None, max_examples=examples(150))
@given(SHAPES, KINDS, st.booleans())
def test_the_moves_done_in_order_give_the_intended_wiring(shape: Shape, kinds: list[str], overlapping: bool) -> None:
    fabric = troubled(shape, kinds, overlapping)
    places = {name: device.place for name, device in fabric.plan.devices.items()}
    plan = checked(*fabric.difference(), Prices(places=places))
    truth = fabric.truth()
    assert plan.insertions == truth.moves
    assert sum(len(component.new_cables) for component in plan.components) == truth.unlit_links
    assert sum(len(component.taken_out) for component in plan.components) == truth.unplanned_links


@settings(deadline=None, max_examples=examples(60))
@given(SHAPES, KINDS, st.booleans())
def test_the_moves_of_breakouts_give_the_intended_wiring(shape: Shape, kinds: list[str], overlapping: bool) -> None:
    shape = Shape(shape.machines, shape.rails, shape.radix, shape.twins, True, seed=shape.seed)
    fabric = troubled(shape, kinds, overlapping)
    plan = checked(*fabric.difference())
    if not overlapping:  # else a twin may lie where a breakout belongs, which no counting of links can know
        assert plan.insertions == fabric.truth().moves


# Nobody finds a shorter way: all assignments of small cases

Case = tuple[list[FoundCable], list[WantedCable]]


def fewest(found: Sequence[FoundBody], wanted: Sequence[WantedBody]) -> int:
    """The fewest insertions, new cables counted as the insertion of each of their plugs, over all ways to give cables
    to planned places (or to none). A cable of the same place may be used anywhere."""
    best = sum(len(body.plugs) for body in wanted)
    spare: list[FoundBody | None] = [*found, *[None] * len(wanted)]
    for chosen in set(permutations(spare, len(wanted))):
        cost = 0
        for body, target in zip(chosen, wanted, strict=True):
            ways = fits(body, target) if body is not None else []
            stays = [sum(t == target.plugs[w] for t, w in zip(body.plugs, way, strict=True)) for way in ways if body]
            cost += len(target.plugs) - max(stays, default=0)
        best = min(best, cost)
    return best


def total(plan: MovePlan, wanted: Sequence[WantedBody]) -> int:
    new = {label for component in plan.components for label in component.new_cables}
    return plan.insertions + sum(len(body.plugs) for body in wanted if body.links[0].label in new)


@st.composite
def plain_cases(draw: st.DrawFn) -> Case:
    """Any cables between few ports: whatever is planned, whatever is found."""
    ports = [PlannedPort("s", n) for n in range(1, draw(st.integers(4, 9)))]
    rng = random.Random(draw(st.integers(0, 10**9)))
    cases: list[list[tuple[PlannedPort, PlannedPort]]] = []
    for _ in range(2):
        shuffled = rng.sample(ports, len(ports))
        pairs = list(zip(shuffled[::2], shuffled[1::2], strict=False))
        cases.append(pairs[: draw(st.integers(0, min(4, len(pairs))))])
    found = [FoundCable(f"f{n}", ends, live=rng.random() < 0.5) for n, ends in enumerate(cases[0])]
    return found, [WantedCable(f"w{n}", ends) for n, ends in enumerate(cases[1])]


def left_wrong(case: Case) -> tuple[list[FoundBody], list[WantedBody]]:
    found, wanted = case
    both = {frozenset(link.ends) for link in found} & {frozenset(link.ends) for link in wanted}
    missing = wanted_bodies([link for link in wanted if frozenset(link.ends) not in both])
    return found_bodies([link for link in found if frozenset(link.ends) not in both], missing), missing


@settings(deadline=None, max_examples=examples(300))
@given(plain_cases())
def test_no_assignment_of_cables_needs_fewer_insertions(case: Case) -> None:
    plan = checked(*case)
    found, wanted = left_wrong(case)
    assert total(plan, wanted) == fewest(found, wanted)


def wide(cage: int) -> tuple[PlannedPort, PlannedPort]:
    return PlannedPort("s", 2 * cage - 1), PlannedPort("s", 2 * cage)


@st.composite
def twin_cases(draw: st.DrawFn) -> Case:
    """Twin cables between few cages; told by their body or only by where they lie."""
    cages = range(1, draw(st.integers(4, 8)))
    rng = random.Random(draw(st.integers(0, 10**9)))
    told = draw(st.booleans())
    sides: list[list[tuple[int, int]]] = []
    for _ in range(2):
        shuffled = rng.sample(cages, len(cages))
        sides.append(list(zip(shuffled[::2], shuffled[1::2], strict=False)))
    found, wanted = [], []
    for a, b in sides[0]:
        for lane in (0, 1):
            body = f"f{a}" if told else ""
            plugs = ("x", "y") if told else ("", "")
            found.append(FoundCable(f"f{a}.{lane}", (wide(a)[lane], wide(b)[lane]), body, plugs))
    for a, b in sides[1]:
        for lane in (0, 1):
            wanted.append(WantedCable(f"w{a}.{lane}", (wide(a)[lane], wide(b)[lane]), f"w{a}", ("x", "y")))
    return found, wanted


@settings(deadline=None, max_examples=examples(150))
@given(twin_cases())
def test_no_assignment_of_twins_needs_fewer_insertions(case: Case) -> None:
    plan = checked(*case)
    found, wanted = left_wrong(case)
    assert total(plan, wanted) == fewest(found, wanted)


@st.composite
def breakout_cases(draw: st.DrawFn) -> Case:
    """Breakouts of one cage to two machines, their plugs thrown about, beside plain cables."""
    count = draw(st.integers(1, 3))
    rng = random.Random(draw(st.integers(0, 10**9)))
    machines = [PlannedPort(f"m{n}", 1) for n in range(1, 2 * count + 3)]
    heads, tails = rng.sample(range(1, count + 2), count), rng.sample(machines, 2 * count)
    found, wanted = [], []
    for n in range(count):
        for lane in (0, 1):
            plugs = ("head", f"tail{lane}")
            found.append(FoundCable(f"f{n}.{lane}", (wide(heads[n])[lane], tails[2 * n + lane]), f"f{n}", plugs))
            wanted.append(WantedCable(f"w{n}.{lane}", (wide(n + 1)[lane], machines[2 * n + lane]), f"w{n}", plugs))
    return found, wanted


@settings(deadline=None, max_examples=examples(200))
@given(breakout_cases())
def test_no_assignment_of_breakouts_needs_fewer_insertions(case: Case) -> None:
    plan = checked(*case)
    found, wanted = left_wrong(case)
    relaid = sum(
        move.kind is StepKind.REMOVE
        for component in plan.components
        for move in component.moves
        if not component.taken_out
    )
    if not relaid:
        assert total(plan, wanted) == fewest(found, wanted)


# Nobody finds a shorter way, whatever the order of the acts: all of them tried on the field itself


def fewest_acts(found: Sequence[FoundCable], wanted: Sequence[WantedCable]) -> int:
    """The fewest insertions of any sequence of pulls and insertions with one cable hanging at most, cables laid aside
    included, that ends with the wanted links; a link that is left to a new cable counts as two."""
    ports = sorted({port for link in chain[FoundCable | WantedCable](found, wanted) for port in link.ends})
    goal = {frozenset(link.ends) for link in wanted}
    start = tuple(link.ends for link in found)
    costs: dict[tuple, int] = {start: 0}
    waiting = [(0, 0, start)]
    number, best = 0, 2 * len(goal)
    while waiting:
        cost, _, state = heapq.heappop(waiting)
        if cost > costs[state] or cost >= best:
            continue
        inside = [frozenset(ends) for ends in state if None not in ends]
        if all(None not in ends or ends == (None, None) for ends in state) and set(inside) <= goal:
            best = min(best, cost + 2 * (len(goal) - len(inside)))
        taken = {port for ends in state for port in ends}
        for at, ends in enumerate(state):
            for side in (0, 1):
                free: list[PlannedPort | None] = [port for port in ports if port not in taken]
                for port in [None, *free] if ends[side] is not None else free:
                    moved = (port, ends[1]) if side == 0 else (ends[0], port)
                    after = (*state[:at], moved, *state[at + 1 :])
                    hanging = sum((one is None) != (other is None) for one, other in after)
                    price = cost + (port is not None)
                    if hanging <= 1 and price < costs.get(after, best):
                        costs[after] = price
                        number += 1
                        heapq.heappush(waiting, (price, number, after))
    return best


@settings(deadline=None, max_examples=examples(80))
@given(plain_cases().filter(lambda case: len(case[0]) <= 3))
def test_no_sequence_of_acts_needs_fewer_insertions(case: Case) -> None:
    plan = checked(*case)
    both = {frozenset(link.ends) for link in case[0]} & {frozenset(link.ends) for link in case[1]}
    found = [link for link in case[0] if frozenset(link.ends) not in both]
    wanted = [link for link in case[1] if frozenset(link.ends) not in both]
    assert total(plan, wanted_bodies(wanted)) == fewest_acts(found, wanted)


# Nobody finds a cheaper one of the shortest


def price(found: FoundBody, wanted: WantedBody, prices: Prices) -> tuple[int, float]:
    """Kept plugs and price of the best way to use a cable for a planned one."""
    options = []
    for way in fits(found, wanted):
        moved = [(t[0], wanted.plugs[w][0]) for t, w in zip(found.plugs, way, strict=True) if t != wanted.plugs[w]]
        options.append((len(way) - len(moved), -sum(prices.way(*ends) for ends in moved)))
    kept, cost = max(options)
    return kept, -cost


@settings(deadline=None, max_examples=examples(150))
@given(plain_cases(), st.integers(0, 1000))
def test_of_the_shortest_answers_the_cheapest_is_taken(case: Case, seed: int) -> None:
    rng = random.Random(seed)
    devices = [f"d{n}" for n in range(10)]
    moved = {PlannedPort("s", n): PlannedPort(rng.choice(devices), n) for n in range(1, 10)}
    found = [FoundCable(link.id, (moved[link.ends[0]], moved[link.ends[1]])) for link in case[0]]
    wanted = [WantedCable(link.label, (moved[link.ends[0]], moved[link.ends[1]])) for link in case[1]]
    prices = Prices(same_device=1, elsewhere=7)
    plan = checked(found, wanted, prices)
    wrong, missing = left_wrong((found, wanted))
    best = (0, 0.0)
    spare: list[FoundBody | None] = [*wrong, *[None] * len(missing)]
    for chosen in set(permutations(spare, len(missing))):
        pairs = [price(body, target, prices) for body, target in zip(chosen, missing, strict=True) if body]
        pairs = [pair for pair in pairs if pair[0]]
        best = max(best, (sum(kept for kept, _ in pairs), -sum(cost for _, cost in pairs)))
    assert sum(component.price for component in plan.components) == -best[1]


def test_a_knot_of_breakouts_that_one_hanging_cable_cannot_open_is_opened_by_taking_one_out() -> None:
    """Plain cables and twins in each other's cages, so that two circles share every cage."""

    def plain(name: str, at: PlannedPort, into: PlannedPort, far: str) -> tuple[FoundCable, WantedCable]:
        stays = PlannedPort(far, 1)
        return FoundCable(name, (at, stays)), WantedCable(name.upper(), (into, stays))

    def twin(name: str, at: int, into: int) -> tuple[list[FoundCable], list[WantedCable]]:
        far = [PlannedPort(f"far {name}", lane) for lane in (1, 2)]
        found = [FoundCable(f"{name}{n}", (wide(at)[n], far[n]), name, ("x", "y")) for n in (0, 1)]
        wanted = [WantedCable(f"{name}{n}".upper(), (wide(into)[n], far[n]), name, ("x", "y")) for n in (0, 1)]
        return found, wanted

    found, wanted = [], []
    for name, at, into in (("t", 1, 2), ("u", 3, 4)):
        there, planned = twin(name, at, into)
        found += there
        wanted += planned
    moves = [("a", wide(2)[0], wide(1)[0]), ("b", wide(2)[1], wide(3)[0])]
    moves += [("c", wide(4)[0], wide(3)[1]), ("d", wide(4)[1], wide(1)[1])]
    for label, take, put in moves:
        one, other = plain(label, take, put, f"m{label}")
        found.append(one)
        wanted.append(other)
    found = [FoundCable(f.id, f.ends, f.body or f.id, f.plugs) for f in found]
    plan = checked(found, wanted)
    assert [component.kind for component in plan.components] == [ComponentKind.CHAIN]
    assert plan.insertions == 7, "six plugs move, and one cable is put back at its other end"
