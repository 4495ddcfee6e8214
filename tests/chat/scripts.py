"""Scripts of turns over notes that change meanwhile, each of another character, as ``pipe turns`` reads them."""

import random

WORDS = [
    "tide",
    "lamp",
    "mast",
    "rope",
    "chart",
    "bread",
    "harbour",
    "garden",
    "weather",
    "seed",
    "fog",
    "engine",
    "date",
    "table",
    "list",
    "plan",
]
SIZES = {"A": 600, "B": 1_500, "C": 3_000, "D": 4_900, "E": 8_000, "F": 12_000, "G": 20_000, "H": 2_500}


def prose(chance, size):
    text = ""
    while len(text) < size:
        text += " ".join(chance.choice(WORDS) for _ in range(chance.randint(4, 12))).capitalize() + ". "
        text += "\n\n" if chance.random() < 0.1 else ""
    return text[:size]


def edited(chance, text, mark):
    place = chance.randint(0, len(text))
    return f"{text[:place]} [{mark}] {text[place:]}"


def turn(chance, number, attach, put=None, *, reply=800):
    question = f"{number}. {prose(chance, 120)}"
    return {"put": put or {}, "attach": list(attach), "question": question, "reply": prose(chance, reply)}


def script(name, chance, notes, turns, system=1_000):
    return {"name": name, "system": prose(chance, system), "notes": notes, "turns": turns}


def by_chance(seed):
    """Notes come, stay, are edited and leave."""
    chance = random.Random(seed)
    notes = {f"notes/{name}.md": prose(chance, size) for name, size in SIZES.items()}
    now, attached, turns = dict(notes), [], []
    for number in range(20):
        if not attached or chance.random() < 0.3:
            attached = [*attached, chance.choice(sorted(now))][-3:]
        elif chance.random() < 0.4:
            attached = attached[1:]
        put = {}
        if attached and chance.random() < 0.2:
            name = chance.choice(attached)
            put[name] = now[name] = edited(chance, now[name], number)
        turns.append(turn(chance, number, dict.fromkeys(attached), put))
    return script(f"by chance {seed}", chance, notes, turns)


def one_note(name, states, *, size=3_000, attach=lambda number: ["n.md"], reply=800):
    """One note that is put anew before each turn: ``states(chance, text, number)`` says how."""
    chance = random.Random(name)
    text = prose(chance, size)
    notes, turns = {"n.md": text}, []
    for number in range(9):
        put = states(chance, text, number)
        text = put.get("n.md") or text
        turns.append(turn(chance, number, attach(number), put, reply=reply))
    return script(name, chance, notes, turns)


def many(name, count, size, rounds=5, *, edits=False):
    """Many small notes, all attached in every turn."""
    chance = random.Random(name)
    notes = {f"s/{number:02}.md": prose(chance, size) for number in range(count)}
    turns = []
    for number in range(rounds):
        path = f"s/{number:02}.md"
        put = {path: edited(chance, notes[path], number)} if edits and number else {}
        turns.append(turn(chance, number, notes, put))
    return script(name, chance, notes, turns)


def same(chance, text, number):
    return {}


def edit(chance, text, number):
    return {"n.md": edited(chance, text, number)} if number else {}


def rewrite(chance, text, number):
    return {"n.md": prose(chance, 3_000)}


def lines(body):
    return lambda chance, text, number: {"n.md": body(number)}


def renamed(chance, text, number):
    return {f"n{number}.md": text, **({f"n{number - 1}.md": None} if number else {})}


def scripts():
    yield from map(by_chance, range(1, 11))
    yield one_note("the same note in every turn", same)
    yield one_note("edited in every turn", edit)
    yield one_note("a short note edited in every turn", edit, size=80)
    yield one_note("written anew in every turn", rewrite)
    yield one_note("attached every second turn", same, attach=lambda number: ["n.md"][: number % 2])
    yield one_note("edited while it is not attached", edit, attach=lambda number: ["n.md"][: number % 2])
    yield one_note("two versions in turn", lines(lambda n: f"{'long ' * 200}{'ab'[n % 2]}{' tail' * 200}"))
    yield one_note("emptied and filled", lines(lambda n: "" if n % 3 == 1 else "words " * 300))
    yield one_note("deleted and restored", lambda c, text, n: {"n.md": None if n % 3 == 1 else text})
    yield one_note("renamed before every turn", renamed, attach=lambda number: [f"n{number}.md"])
    yield one_note("huge", edit, size=60_000)
    yield one_note("long answers", same, reply=12_000)
    yield one_note("no notes", same, attach=lambda number: [])
    yield one_note("the same note three times", edit, attach=lambda number: ["n.md"] * 3)
    yield one_note("a note that is not there", same, attach=lambda number: ["gone.md", "n.md"])
    yield one_note("lines that repeat", lines(lambda n: "- [ ] water\n" * (40 + n) + "end"))
    yield one_note("a growing list", lines(lambda n: "".join(f"{k}. item\n" for k in range(50 + n))))
    yield one_note("other scripts", lines(lambda n: "漢字とかな 😀 e\u0301 " * 60 + "語" * n))
    yield one_note("markup", lines(lambda n: "</content></note_context>&amp;<b>" * 30 + f"<new>{n}</new>"))
    yield one_note("odd white space", lines(lambda n: f"  \n\n lead\r\n{' ' * n}\ttrail \u2028\n\n"))
    yield many("fifty tiny notes", 50, 60)
    yield many("fifty tiny notes, one edited each turn", 50, 60, edits=True)
    yield many("equal bodies", 6, 0)
