"""Looks at everything the agent stands on and says it in words. Changes nothing anywhere."""
