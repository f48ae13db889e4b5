def before(int x): return x
include "parts/more.pxi"
cdef class Last(Base):
    include "members.pxi"
def after(): pass
