"""The build in which perturbations were tried."""

from small_build import book, small_build
