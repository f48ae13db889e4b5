cdef class FromPxd:
    cdef public int x
