cimport numpy as cnp
cdef struct Node:
    int left
cdef class Tree:
    cdef public int n_features
    cdef readonly int depth
    cdef int* values
    cdef int _resize(self, int n) except -1
    cpdef cnp.ndarray predict(self, object X)
    cpdef compute(self, normalize=*)
cpdef int count(int n)
cdef int hidden(int n)
