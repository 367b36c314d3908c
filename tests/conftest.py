"""What every test shares."""

from hypothesis import settings

# the first call of a compiled function compiles it, which is no reason to fail
settings.register_profile("treebounds", deadline=None)
settings.load_profile("treebounds")
