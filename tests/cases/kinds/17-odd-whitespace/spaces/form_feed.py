def one(x):
    return x

def two(y):
    return y
class Three:
    
    def four(self):
        return 1
