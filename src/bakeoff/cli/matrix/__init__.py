"""`bakeoff matrix …`: one file per subcommand, named in `bakeoff.cli`."""
