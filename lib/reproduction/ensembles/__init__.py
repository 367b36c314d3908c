"""Many trees: bootstrap samples, boosting, gradient and Newton boosting, in a few lines each.

The functions take a training set and return what was fitted. They are for reading, and for checking the
libraries that everyone uses, to which they are equal (see each function). For large data use those libraries.
"""

from reproduction.ensembles.additive import *
from reproduction.ensembles.bagging import *
from reproduction.ensembles.boosting import *
from reproduction.ensembles.gradient import *
from reproduction.ensembles.newton import *
