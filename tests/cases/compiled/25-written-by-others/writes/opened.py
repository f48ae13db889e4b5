OWN = 1
