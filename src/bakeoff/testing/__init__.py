"""What an implementer needs to prove an implementation: conformance suites to subclass. Needs pytest."""
