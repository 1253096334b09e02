"""Is an answer good enough, and what text of a plan does it make?"""
