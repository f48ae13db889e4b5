"""What another file makes takes the place of this module; one entry of its tables leads nowhere."""
from ..maker import recreate

__all__ = ("Worker", "gone", "there")

globals()["SWITCH"[::-1]] = False

old_module, new_module = recreate(  # a comment
    __name__,
    by_module={"rpl.made.work": ["Worker"]},
    direct={"gone": "rpl.made.gone", "there": "rpl.made.there"},
    labels={"Worker": "a text", "other": "another"},
)
