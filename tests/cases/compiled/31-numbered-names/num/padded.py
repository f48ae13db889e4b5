"""Near misses: a width, and numbers that are computed."""

for i in range(2):
    globals()[f"wide_{i:03d}"] = i
