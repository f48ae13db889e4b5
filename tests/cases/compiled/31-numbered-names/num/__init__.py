"""Names that a loop over numbers makes are all told, where each can be written out."""

for i in range(2, 5):
    globals()["Listing{}".format(i)] = list
for i in range(2):
    globals()[f"short_{i}"] = i
for i in range(3):
    globals()["old%d" % i] = i
