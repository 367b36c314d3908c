"""What capacity costs: risk bounds from growth functions, VC dimensions and description lengths.

A wrong argument of any function here is a ValueError that names it.
"""

from treebounds.risk.certificate import *
from treebounds.risk.compression import *
from treebounds.risk.description_length import *
from treebounds.risk.growth_bounds import *
from treebounds.risk.halving import *
from treebounds.risk.occam import *
from treebounds.risk.shawe_taylor import *
from treebounds.risk.tail_inversion import *
from treebounds.risk.vc_srm import *
