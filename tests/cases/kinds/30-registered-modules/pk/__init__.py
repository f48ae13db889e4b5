"""Names set on modules by way of `sys.modules`, and modules entered there."""

import sys

from . import real

sys.modules["pk.alias"] = real
sys.modules[__name__ + ".second"] = real
sys.modules["elsewhere.alias"] = real
from . import late
