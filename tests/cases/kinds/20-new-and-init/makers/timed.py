from . import Group


class TimeGroup(Group):
    def __init__(self, freq=None, origin="start_day"):
        self.freq = freq
