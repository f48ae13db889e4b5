from vroot.ops.prints import Print
from vroot.ops.prints import print_v2 as print
