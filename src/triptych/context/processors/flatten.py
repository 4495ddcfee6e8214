"""Rows that hold other rows become plain rows: groups of steps, councils, tasks.

``flatten_groups`` (assistantGroup, supervisor), ``flatten_councils`` (agentCouncil), ``flatten_tasks`` (tasks,
groupTasks). A group's child gives one assistant row and a tool row for each result that its calls hold.
What ``keep`` names is carried over from a child besides; signatures of calls always are, since a provider that
signed a call wants the signature back.

Not here: what the plain rows then say to the model (``task_messages``, ``group_roles``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from triptych.context.contract import Contract, Step
from triptych.context.draft import Draft
from triptych.context.rowwork import each_row, listed, mapping, present
from triptych.model.rows import Row

__all__ = ["KEPT", "flatten_councils", "flatten_groups", "flatten_tasks"]

KEPT = ("metadata", "model", "provider", "usage", "fileList", "audioList", "videoList", "agentId")
"""What our own pipelines carry over from a child: reactions, its model, its media; and whose a tool's result is."""

_CALL = ("apiName", "arguments", "id", "identifier", "type")
_PLACE = ("threadId", "groupId", "topicId")
_GROUP_ROLES = ("assistantGroup", "supervisor")
_TASK_ROLES = ("tasks", "groupTasks")


def flatten_groups(*, keep: Iterable[str] = KEPT) -> Step:
    """Turn a group of assistant steps into assistant and tool rows."""
    kept = tuple(keep)

    def run(draft: Draft) -> Draft:
        return each_row(
            draft, lambda row: _opened(row, "children", _group_rows(row, row, kept)), _GROUP_ROLES
        )

    return Step(
        _contract("flatten_groups", _GROUP_ROLES, "turns groups of steps into assistant and tool rows"), run
    )


def flatten_councils(*, keep: Iterable[str] = KEPT, groups: Iterable[str] = _GROUP_ROLES) -> Step:
    """Turn a council of agents into the rows of its members; those of the roles ``groups`` are opened too."""
    kept, opened = tuple(keep), tuple(groups)

    def run(draft: Draft) -> Draft:
        return each_row(
            draft, lambda row: _opened(row, "members", _council_rows(row, kept, opened)), ("agentCouncil",)
        )

    return Step(
        _contract("flatten_councils", ("agentCouncil",), "turns a council into the rows of its members"), run
    )


def flatten_tasks() -> Step:
    """Turn a container of tasks into task rows."""

    def run(draft: Draft) -> Draft:
        return each_row(draft, lambda row: _opened(row, "tasks", _task_rows(row)), _TASK_ROLES)

    return Step(_contract("flatten_tasks", _TASK_ROLES, "turns a container of tasks into task rows"), run)


def _contract(name: str, roles: Iterable[str], about: str) -> Contract:
    return Contract(
        name=name,
        reads=frozenset({"history"}),
        writes=frozenset({"flat"}),
        may_drop=True,
        scope="message",
        roles=frozenset(roles),
        about=about,
    )


def _opened(row: Row, field: str, rows: list[Row]) -> Row | tuple[Row, ...] | None:
    """What stands in a container's place: it stays when it has no such field, and goes when that is empty."""
    if not isinstance(row.get(field), list):
        return row
    return tuple(rows) or None


def _group_rows(group: Row, fallback: Row, keep: tuple[str, ...]) -> list[Row]:
    """The rows of a group's children; what the group does not say is taken from the fallback."""
    shared = {key: _either(group, fallback, key) for key in ("createdAt", "updatedAt", "meta")}
    place = {key: _either(group, fallback, key) for key in ("parentId", *_PLACE)}
    speaker = {key: group.get(key) for key in ("agentId", "targetId")}
    rows: list[Row] = []
    for child in listed(group.get("children")):
        if isinstance(child, Mapping):
            own = {**_held(child, "id"), "role": "assistant", "content": child.get("content") or ""}
            said = {**_said(child, keep), **_given({**place, **speaker})}
            rows.append({**own, **_known(shared), **said})
            rows.extend(_result_rows(child, shared, _placed(place, group, keep)))
    return rows


def _placed(place: Row, group: Row, keep: tuple[str, ...]) -> Row:
    """The place of a group's results: with the agent that they are of, when that is kept."""
    return {**place, "agentId": group.get("agentId")} if "agentId" in keep else place


def _council_rows(council: Row, keep: tuple[str, ...], groups: tuple[str, ...]) -> list[Row]:
    extra = {"parentId": mapping(council.get("extra")).get("parentMessageId")}
    fallback = {**council, "parentId": council.get("parentId") or extra["parentId"]}
    rows: list[Row] = []
    for member in listed(council.get("members")):
        if not isinstance(member, Mapping):
            continue
        if member.get("role") in groups and isinstance(member.get("children"), list):
            rows.extend(_group_rows(member, fallback, keep))
        else:
            rows.extend(_member_rows(member, council, extra, keep))
    return rows


def _member_rows(member: Row, council: Row, extra: Row, keep: tuple[str, ...]) -> list[Row]:
    shared = {key: _either(member, council, key) for key in ("createdAt", "updatedAt", "meta")}
    place = {"parentId": member.get("parentId") or extra["parentId"]}
    place.update({key: _either(member, council, key) for key in _PLACE})
    speaker = {key: member.get(key) for key in ("agentId", "model", "provider")}
    own = {**_held(member, "id"), "role": "assistant", "content": member.get("content") or ""}
    row = {**own, **_known(shared), **_given(speaker), **_said(member, keep), **_given(place)}
    return [row, *_result_rows(member, shared, _placed(place, member, keep))]


def _task_rows(row: Row) -> list[Row]:
    place = _given({key: row.get(key) for key in ("parentId", *_PLACE)})
    tasks = [task for task in listed(row.get("tasks")) if isinstance(task, Mapping)]
    return [{**task, "role": "task", **_missing(place, task)} for task in tasks]


def _missing(place: Row, task: Row) -> dict[str, Any]:
    return {key: value for key, value in place.items() if not present(task.get(key))}


def _said(child: Row, keep: tuple[str, ...]) -> dict[str, Any]:
    """What an assistant said besides its text: calls, reasoning, an error, images."""
    said: dict[str, Any] = {}
    calls = [_call(call) for call in listed(child.get("tools")) if isinstance(call, Mapping)]
    if calls:
        said["tools"] = calls
    said.update(_given({key: child.get(key) for key in ("reasoning", "error", *keep)}))
    if isinstance(child.get("imageList"), list) and child["imageList"]:
        said["imageList"] = child["imageList"]
    return said


def _call(call: Row) -> dict[str, Any]:
    return {**_held(call, *_CALL), **_given({"thoughtSignature": call.get("thoughtSignature")})}


def _result_rows(child: Row, shared: Row, place: Row) -> list[Row]:
    calls = [call for call in listed(child.get("tools")) if present(mapping(call).get("result"))]
    return [_result_row(call, mapping(call["result"]), shared, place) for call in calls]


def _result_row(call: Row, result: Row, shared: Row, place: Row) -> Row:
    row = {
        **_held(result, "id", "content"),
        "role": "tool",
        **({"tool_call_id": call["id"]} if "id" in call else {}),
        "plugin": _held(call, *_CALL),
    }
    state = _known({"pluginError": result.get("error"), "pluginState": result.get("state")})
    return {**row, **_known(shared), **state, **_given(place)}


def _either(row: Row, fallback: Row, key: str) -> Any:
    value = row.get(key)
    return value if present(value) else fallback.get(key)


def _held(values: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Those of the keys that are there: a missing one stays missing."""
    return {key: values[key] for key in keys if key in values}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if present(value)}


def _known(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
