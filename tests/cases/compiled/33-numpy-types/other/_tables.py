import os

allTypes = dict.fromkeys(os.environ)
