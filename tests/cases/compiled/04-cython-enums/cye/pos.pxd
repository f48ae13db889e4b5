cpdef enum pos_t:
    NOUN
    VERB = 92
cpdef enum:
    LOOSE
cpdef enum class scoped_t:
    INNER
cdef enum hidden_t:
    HIDDEN
