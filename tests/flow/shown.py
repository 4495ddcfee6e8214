"""Which messages drawn rows show."""


def shown_ids(rows):
    """Every message that the rows show, with repetitions."""
    found = []
    waiting = list(rows)
    while waiting:
        item = waiting.pop()
        if not isinstance(item, dict):
            continue
        if item.get("role") == "compare" and "columns" in item:
            waiting += [row for column in item["columns"] for row in column]
        elif item.get("role") in {"tasks", "groupTasks"} and "tasks" in item:
            waiting += item["tasks"]
        elif item.get("role") in {"assistantGroup", "supervisor"} and isinstance(item.get("children"), list):
            waiting += [
                block for block in item["children"] if not str(block.get("id")).startswith("council-")
            ]
            waiting += [row for block in item["children"] for row in block.get("council", [])]
            waiting += [said for block in item.get("signalCallbacks", []) for said in block["callbacks"]]
            waiting += item.get("taskCompletions", [])
        else:
            found.append(item.get("id"))
            calls = item.get("tools") or [] if "role" not in item else []
            found += [call["result"]["id"] for call in calls if isinstance(call, dict) and "result" in call]
    return found
