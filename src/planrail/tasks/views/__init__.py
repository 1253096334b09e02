"""The tasks as files: `specs/state.json` and `specs/TODO.md`, in the form that their readers know. Pure."""
