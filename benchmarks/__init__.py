"""Speed, memory and growth, each side by side with what a user would run instead."""
