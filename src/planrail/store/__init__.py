"""What happened to the plans of a repository: facts that are added and never changed, and the texts they speak of."""
