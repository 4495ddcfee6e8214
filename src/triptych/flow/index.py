"""Planting a ``Forest``: the rows of one topic are read once, each question is O(1) afterwards.

A parent is *effective* here: a link into a compressed stretch leads to its group row, a link to nothing makes a
root, a link that closes a loop is cut at the first stored row of the loop. Stored rows are never changed.

Not here: which of several children is shown (``branches``), and anything about tool chains (``chains``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from triptych.flow.forest import Children, Forest, as_id, hang
from triptych.flow.fork import Fork
from triptych.flow.lineage import settle
from triptych.flow.reading import calls, is_object, metadata
from triptych.model.diagnostics import Diagnostic
from triptych.model.rows import Row

__all__ = ["ANY_THREAD", "Forest", "branch_kids", "hidden_ids", "plant", "read_groups", "survey"]

ANY_THREAD: Final = ""
"""``thread`` value of ``parse``: show the main flow, or everything when every row is in some thread."""

_RARE: Final = frozenset({"agentCouncil", "agentDispatch", "isSupervisor", "orchestrationRole", "signal"})


def plant(
    rows: Iterable[Any],
    groups: Iterable[Any] = (),
    *,
    thread: str | None = ANY_THREAD,
    forks: Mapping[str, Fork] | None = None,
) -> Forest:
    """Index any rows whatever; what cannot be read becomes a note. The arguments are those of ``parse``."""
    notes: list[Diagnostic] = []
    forest = Forest(_collect(rows, notes))
    forest.notes = notes
    forest.groups = read_groups(groups, forest)
    forest.windows = forks or {}
    forest.has = survey(forest.rows.values())
    _leave_outside(forest, thread)
    _link(forest)
    settle(forest)
    if thread:
        forest.replaced = _replaced(forest, thread)
    return forest


def read_groups(groups: Iterable[Any], forest: Forest) -> dict[str, Mapping[str, Any]]:
    """Message groups by id, the last of equals; unreadable ones become notes."""
    found: dict[str, Mapping[str, Any]] = {}
    for place, group in enumerate(groups if isinstance(groups, Iterable) else ()):
        group_id = group.get("id") if is_object(group) else None
        if isinstance(group_id, str):
            found[group_id] = group
        else:
            forest.note("unreadable_group", f"Message group {place} has no id and is ignored.")
    return found


def _collect(rows: Any, notes: list[Diagnostic]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for place, row in enumerate(rows if isinstance(rows, Iterable) else ()):
        if row.__class__ is not dict and not is_object(row):
            notes.append(_note("unreadable_row", f"Row {place} is not an object and is left out."))
            continue
        message_id = row.get("id")
        if type(message_id) is not str:
            message_id = as_id(message_id)
            if message_id is None:
                notes.append(_note("row_without_id", f"Row {place} has no id and is left out."))
                continue
        if message_id in found:
            notes.append(_note("duplicate_id", "Several rows have this id; the last one counts.", message_id))
        found[message_id] = _spoken_by(row) if "metadata" in row else row
    return found


def survey(rows: Iterable[Row]) -> set[str]:
    """Which rare things occur in some rows (roles, fields, metadata that steers), so that nobody looks in vain."""
    found: set[str] = set()
    for row in rows:
        role = row.get("role")
        if role in ("task", "compressedGroup"):
            found.add(role)
        if "signal" in row:
            found.add("signal")
        if "threadId" in row:
            found.add("threadId")
        if "metadata" in row and not _RARE.isdisjoint(about := metadata(row)):
            found.update(_RARE.intersection(about))
    return found


def _note(code: str, message: str, where: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, message=message, where=where)


def _spoken_by(row: Row) -> Row:
    about = metadata(row)
    if "subAgentId" not in about or about.get("scope") != "sub_agent" or not about["subAgentId"]:
        return row
    return {**row, "agentId": about["subAgentId"]}


def _leave_outside(forest: Forest, thread: str | None) -> None:
    """Decide which rows are in scope: those of no thread, and those of the thread asked for."""
    if "threadId" not in forest.has:
        return
    threads = {key: row["threadId"] for key, row in forest.rows.items() if row.get("threadId")}
    if thread == ANY_THREAD and len(threads) == len(forest.rows):
        return
    forest.outside = {key: str(name) for key, name in threads.items() if name != thread}


def _link(forest: Forest) -> None:
    redirects = forest.redirects = _redirects(forest)
    rows, outside, parent = forest.rows, forest.outside, forest.parent
    moved = False
    for message_id, row in rows.items():
        link = row.get("parentId")
        if link is not None and (link.__class__ is not str or link not in rows or link in redirects):
            stored, link = link, _effective(forest, message_id, link, redirects)
            moved = moved or link != stored
        parent[message_id] = link
    _hang(forest)
    if outside or moved:
        forest.links = _stored_links(forest)


def _effective(forest: Forest, message_id: str, link: Any, redirects: Mapping[str, str]) -> str | None:
    key = as_id(link)
    if key is None:
        forest.note("unreadable_parent", "The parent is not an id; the message starts a path.", message_id)
        return None
    if key and key in redirects and redirects[key] not in (message_id, forest.compressed.get(message_id)):
        return redirects[key]
    if key in forest.rows:
        return key
    if not key:
        forest.note("empty_parent", "The parent id is empty; the message starts a path.", message_id)
    elif key not in redirects:
        forest.note(
            "missing_parent", f"The parent {key!r} is not here; the message starts a path.", message_id
        )
    return None


def _hang(forest: Forest) -> None:
    kids, outside = forest.kids, forest.outside
    for key, above in forest.parent.items():
        if key in outside:
            continue
        if above in kids:
            hang(kids, above, key)
        else:
            kids[above] = (key,)


def _stored_links(forest: Forest) -> dict[str | None, Children]:
    links: dict[str | None, Children] = {}
    for message_id, row in forest.rows.items():
        if message_id not in forest.outside:
            hang(links, as_id(row.get("parentId")), message_id)
    return links


def _replaced(forest: Forest, thread: str) -> dict[str, str]:
    """What a message goes on with in the main flow, where the thread leaves it; results belong to both."""
    rows = forest.rows
    leaving = {
        above
        for above, kids in forest.kids.items()
        if above is not None and any(rows[key].get("threadId") == thread for key in kids)
    }
    return {
        key: above
        for above in leaving
        for key in branch_kids(forest, above)
        if rows[key].get("threadId") != thread
    }


def branch_kids(forest: Forest, parent: str | None) -> list[str]:
    """The children in scope that are no tool rows."""
    rows = forest.rows
    return [key for key in forest.children(parent) if rows[key].get("role") != "tool"]


def _redirects(forest: Forest) -> dict[str, str]:
    """Where links into compressed stretches lead; rows that a group holds are marked as compressed."""
    redirects: dict[str, str] = {}
    if "compressedGroup" not in forest.has:
        return redirects
    for key, row in forest.rows.items():
        if row.get("role") == "compressedGroup" and key not in forest.outside:
            last = _last_hidden(row)
            held = {inner for inner in _inner_ids(row) if inner in forest.rows and inner != key}
            forest.compressed.update(dict.fromkeys(held, key))
            redirects.update(dict.fromkeys(held, key))
            if last and last != key:
                redirects[last] = key
    return redirects


def hidden_ids(group: Row) -> set[str]:
    """The ids that a compressed group row stands for, as far as it names them."""
    last = _last_hidden(group)
    return {*_inner_ids(group), last} if last else set(_inner_ids(group))


def _inner_ids(row: Row) -> Iterable[str]:
    inner = row.get("compressedMessages")
    for item in inner if isinstance(inner, list) else ():
        key = as_id(item.get("id")) if is_object(item) else None
        if key:
            yield key


def _last_hidden(row: Row) -> str | None:
    """The id that messages after a compressed stretch still name as their parent."""
    node: Any = row
    while is_object(node):
        if node.get("lastMessageId"):
            return as_id(node["lastMessageId"])
        inner = _last_of(node.get("compressedMessages")) or _last_of(node.get("children"))
        if inner is None:
            return as_id(_last_result(node))
        node = inner[0]
    return None


def _last_of(value: Any) -> tuple[Any] | None:
    return (value[-1],) if isinstance(value, list) and value else None


def _last_result(node: Mapping[str, Any]) -> Any:
    last = calls(node)[-1:]
    result = last[0].get("result_msg_id") if last and is_object(last[0]) else None
    return node.get("id") if result is None else result
