"""How many functions a tree of a given structure can realize, and what follows for its VC dimension.

A wrong argument of any function here is a ValueError that names it.
"""

from treebounds.capacity.binary import *
from treebounds.capacity.closed import *
from treebounds.capacity.exact import *
from treebounds.capacity.features import *
from treebounds.capacity.growth import *
from treebounds.capacity.lary import *
from treebounds.capacity.log_growth import *
from treebounds.capacity.lower import *
from treebounds.capacity.permutations import *
from treebounds.capacity.stumps import *
from treebounds.capacity.vc_dimension import *
