"""What a plan document says, what comes next, and how one status is changed without touching another byte."""
