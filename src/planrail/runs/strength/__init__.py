"""Were the tests weakened, and could the new ones fail?"""
