import sys

for i in range(len(sys.path)):
    globals()[f"path_{i}"] = i
