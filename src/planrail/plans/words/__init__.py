"""What words and signs mean: tables in many languages, marks, titles and labels."""
