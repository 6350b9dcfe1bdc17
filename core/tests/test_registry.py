"""What a package offers to those below it."""

import pytest

from core.registry import AllOffered, Offered


def test_what_nobody_registered_is_named() -> None:
    with pytest.raises(LookupError, match="nobody registered the lights"):
        Offered("the lights")()


def test_registering_again_replaces_the_one_and_counts_each_of_many_once() -> None:
    one, many = Offered[str]("a word"), AllOffered[str]()
    one.register("a")
    one.register("b")
    many.register("a", "b")
    many.register("b", "c")
    assert one() == "b" and list(many) == ["a", "b", "c"]
