from .names import *
from .after import *
