"""What do checks prove, beside what the base said?"""
