"""How does a phase get from text to a landed commit? Decisions, and the pipeline that they are strung on."""
