"""Projects: list, add or change, delete."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import msgspec

from triptych.model.conversations import Project
from triptych.model.foreign import clean_text
from triptych.model.ids import ProjectId
from triptych.server.operations import Operation
from triptych.server.problems import NotFoundError
from triptych.server.service import Service
from triptych.server.shapes import ProjectList, ProjectValues

__all__ = ["PROJECTS"]


async def list_projects(service: Service) -> ProjectList:
    """All projects; the default one is always there."""
    return ProjectList(projects=await service.chat.projects())


async def put_project(service: Service, body: ProjectValues) -> Project:
    """Add a project, or change one; what the server knows beside these values stays."""
    known = await _project(service, body.id) or Project(id=ProjectId(body.id))
    values = {name: getattr(body, name) for name in body.__struct_fields__ if name != "id"}
    values |= {"name": clean_text(body.name), "instructions": clean_text(body.instructions)}
    await service.chat.put_project(msgspec.structs.replace(known, **values))
    return await _project(service, body.id) or known


async def delete_project(service: Service, project_id: str) -> None:
    """Delete a project with its conversations; the default one stays (409)."""
    if await _project(service, project_id) is None:
        raise NotFoundError("There is no such project.")
    await service.chat.delete_project(ProjectId(project_id))


async def _project(service: Service, project_id: str) -> Project | None:
    return next((one for one in await service.chat.projects() if one.id == project_id), None)


PROJECTS: Final[tuple[Operation[Service], ...]] = (
    Operation(method="GET", path="/projects", run=list_projects, answer=ProjectList),
    Operation(
        method="PUT",
        path="/projects",
        run=put_project,
        body=ProjectValues,
        answer=Project,
        refuses=(HTTPStatus.CONFLICT,),
    ),
    Operation(
        method="DELETE",
        path="/projects/{project_id}",
        run=delete_project,
        status=HTTPStatus.NO_CONTENT,
        refuses=(HTTPStatus.CONFLICT,),
    ),
)
