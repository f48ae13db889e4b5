"""Sets names on the other modules."""
import writes
import writes.state as other

from . import bare, opened, state

state.ASSIGNED = 1
other.BY_ALIAS = 2
setattr(state, "BY_SETATTR", 3)
writes.ON_TOP = 4
writes.state.DOTTED = 5
vars(state)["BY_VARS"] = 6
state.__dict__["BY_DICT"] = 7
for _name in ("FIRST", "SECOND"):
    setattr(state, _name, 8)
for _name in dir(int):
    setattr(opened, "int_" + _name, None)


def configure(value):
    state.LATE = value
    setattr(state, "LATE_NAMED", value)
    if state.LATE == value:
        return bare.compared == value


class Holder:
    def hold(self, state):
        state.PARAMETER = 1
        self.state = state

    def keep(self, value):
        writes.state.KEPT = value

    def near(self):
        bare = Holder()
        bare.LOCAL = 1
