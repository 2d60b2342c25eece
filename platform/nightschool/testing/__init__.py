"""What those who extend nightschool test with: suites that an own part has to pass."""
