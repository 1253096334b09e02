"""What every command about tasks needs: the project, its documents, whose turn it is."""
