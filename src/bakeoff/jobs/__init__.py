"""What a user asks for, one file each: a job wires parts together and owns nothing else."""
