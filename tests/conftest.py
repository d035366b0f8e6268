from hypothesis import settings

# No timing is asserted (a busy machine proves nothing), and every run draws the same inputs.
settings.register_profile("opbook", deadline=None, derandomize=True)
settings.load_profile("opbook")
