"""The operations, one file a subject. A handler decodes nothing and decides nothing: it asks the use cases."""

from triptych.server.routes.about import ABOUT
from triptych.server.routes.conversations import CONVERSATIONS
from triptych.server.routes.imports import IMPORTS, IMPORTS_PATH
from triptych.server.routes.inspection import INSPECTION
from triptych.server.routes.messages import MESSAGES
from triptych.server.routes.notes import NOTES
from triptych.server.routes.projects import PROJECTS

__all__ = ["IMPORTS_PATH", "OPERATIONS"]

OPERATIONS = (*CONVERSATIONS, *MESSAGES, *INSPECTION, *NOTES, *PROJECTS, *IMPORTS, *ABOUT)
"""Every operation of the HTTP API; paths are below ``/api``."""
