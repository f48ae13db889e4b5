include "generated.pxi"
def seen(): pass
