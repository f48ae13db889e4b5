cdef class NotThere:
    cdef public int x
