"""Which rows, headings and items are the units of a plan, and what each depends on."""
