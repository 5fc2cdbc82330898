"""Constraints on seams that are kept with a track: by the hash of its bytes, in the database, for every later plan.

What is given to a plan is added to what is kept, once the plan is made: constraints that cannot be kept are not stored.

Classes: `SeamWishes`, the constraints of one plan. Functions: `seam_wishes` for those that apply to a plan,
`keep_wishes` once it is made; `kept_constraints` and `forget_constraints` for the record; `kept_line` in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from workbench.errors import RequestError
from workbench.loops.constraints import NO_CONSTRAINTS, Constraint, SeamConstraints, Sentence, joined
from workbench.workflows.constraints import constraint_records, read_constraints
from workbench.workspace import Workspace

# What becomes of the constraints kept with a track when it is planned. `apply`: the plan keeps them too, and what is
# given is added to them. `forget`: what is given replaces them, or nothing does. `ignore`: they stay, unapplied.
KeptUse = Literal["apply", "forget", "ignore"]

FORGET = "--forget-constraints"  # the option that drops what is kept


@dataclass(frozen=True, slots=True)
class SeamWishes:
    """The constraints of one plan."""

    given: SeamConstraints  # with this plan
    kept: SeamConstraints  # with the track, before, and not given again
    use: KeptUse

    @property
    def every(self) -> SeamConstraints:
        """All that apply, each once."""
        return self.kept.and_more(self.given)

    @contextmanager
    def named(self) -> Iterator[None]:
        """While a plan is made: an error that names a saved constraint says how to drop it."""
        try:
            yield
        except RequestError as error:
            blamed = [one for one in self.kept.each if one in (*error.constraints, *error.sentence)]
            if not blamed:
                raise
            raise type(error)(*error.sentence, "; ", *kept_line(blamed), constraints=error.constraints) from error


def kept_line(constraints: Sequence[Constraint]) -> Sentence:
    """What is saved with a track, and how to drop it, in words; at least one constraint."""
    return ("kept with this track: ", *joined(constraints, ", "), f" ({FORGET} drops all that is kept)")


def seam_wishes(workspace: Workspace, content_hash: str, given: SeamConstraints, use: KeptUse) -> SeamWishes:
    """The constraints that apply to a plan of a recording; asking creates no database.

    To forget without anything given needs no plan: what is saved is deleted here.
    """
    if use == "forget" and not given:
        forget_constraints(workspace, content_hash)
    kept = kept_constraints(workspace, content_hash) if use == "apply" else NO_CONSTRAINTS
    return SeamWishes(given, kept.without(given), use)


def keep_wishes(workspace: Workspace, content_hash: str, wishes: SeamWishes) -> None:
    """Save the constraints that were given with a plan, now that it is made; without any no database is created."""
    if not wishes.given or wishes.use == "ignore":
        return
    from workbench.store import constraints

    with workspace.database.write() as connection:
        # Read again: another plan may have kept more in the meantime.
        before = (
            NO_CONSTRAINTS if wishes.use == "forget" else read_constraints(constraints.get(connection, content_hash))
        )
        after = before.and_more(wishes.given)
        if wishes.use == "forget" or after != before:
            constraints.put(connection, content_hash, constraint_records(after))


def kept_constraints(workspace: Workspace, content_hash: str) -> SeamConstraints:
    """The constraints that are saved for a recording; reading creates no database."""
    database = workspace.existing_database
    if database is None:
        return NO_CONSTRAINTS
    from workbench.store import constraints

    with database.read() as connection:
        return read_constraints(constraints.get(connection, content_hash))


def forget_constraints(workspace: Workspace, content_hash: str) -> None:
    """Delete all constraints that are saved for a recording; nothing is created to delete from."""
    database = workspace.existing_database
    if database is None:
        return
    from workbench.store import constraints

    with database.write() as connection:
        constraints.remove(connection, content_hash)
