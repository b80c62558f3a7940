"""The subcommands, one in each module; a new module here is a new subcommand.

Each has `SUMMARY` (one line), `DESCRIPTION` (what it does, with examples), `add_arguments(parser)` and
`execute(arguments, context) -> int`. Nothing heavy is imported before `execute`: help must be quick.
"""
