class One:
	def two(self):
		return 1

	def three(self):
	    return 2
