"""Its own globals, under another name and by other methods."""
names = globals()
names["BY_KEY"] = 1
names.update(BY_WORD=2)
globals().setdefault("BY_DEFAULT", 3)
globals().__setitem__("BY_ITEM", 4)
plain = {}
plain["NOT_A_NAME"] = 5
