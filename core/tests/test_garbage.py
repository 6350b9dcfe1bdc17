"""The collector stands still for a batch, and only for that."""

from __future__ import annotations

import gc

import pytest

from core.work.garbage import no_garbage_collection


@pytest.mark.slow
def test_the_collector_is_off_inside_and_afterwards_as_it_was_before() -> None:
    gc.enable()
    with pytest.raises(KeyError), no_garbage_collection():
        assert not gc.isenabled()
        with no_garbage_collection():
            pass
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()
