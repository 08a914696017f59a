"""A factory that does not exist, for the demo, the tests and the measurements."""
