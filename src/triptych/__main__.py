"""``python -m triptych``."""

from triptych.cli.main import main

main()
