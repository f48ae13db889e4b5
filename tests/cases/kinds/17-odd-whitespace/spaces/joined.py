def one(a, \
        b=1): \
    return a

x = 1; y = 2; z \
  = 3
