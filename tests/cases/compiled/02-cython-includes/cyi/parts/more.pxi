cdef class Base:
    cdef public int size
    cdef int hidden
    def method(self, double[:] x): pass
include "deep.pxi"
cdef int secret(): return 1
