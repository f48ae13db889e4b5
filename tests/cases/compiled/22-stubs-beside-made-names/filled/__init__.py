for name, kind in {"Wide": float, "Tall": int}.items():
    globals()[name.lower() + str(kind.__name__)] = kind
