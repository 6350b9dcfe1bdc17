"""Text or JSON of the tools into the facts of `fabric.facts`. Pure: no file, no network, no Django."""

from fabric.formats.common import Unreadable, text_of, told
from fabric.formats.merge import merge

__all__ = ["Unreadable", "merge", "text_of", "told"]
