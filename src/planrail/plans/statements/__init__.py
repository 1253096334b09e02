"""What each place of a document says about each unit, and which place is believed."""
