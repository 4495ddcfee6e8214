"""Tools as the model meets them: their names, their arguments, which of them are offered.

Not here: calling a tool (``chat.tools``), and where tools come from (``tools``).
"""
